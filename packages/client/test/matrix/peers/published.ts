import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Absent, Peer } from '../peer.ts';
import { overStdio, startListening } from '../start-process.ts';

const require = createRequire(import.meta.url);
const programOf = (name: string): string => require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);

const noResources: Absent = { absent: 'It has no resources.' };
const noPrompts: Absent = { absent: 'It has no prompts.' };
const noCompletions: Absent = { absent: 'It completes nothing.' };
const isQuick: Absent = { absent: 'No tool of it takes time, or reports progress.' };
const asksNothing: Absent = { absent: 'No tool of it asks.' };
const logsNothing: Absent = { absent: 'No tool of it logs while it runs.' };
const tellsNothing: Absent = { absent: 'It has nothing to subscribe to.' };
const onlyTools = {
  read: noResources,
  prompt: noPrompts,
  complete: noCompletions,
  cancel: isQuick,
  progress: isQuick,
  elicit: asksNothing,
  sample: asksNothing,
  roots: asksNothing,
  log: logsNothing,
  follow: tellsNothing,
};
const folder = join(realpathSync(tmpdir()), `switchyard-matrix-${process.pid}`);
const note = join(folder, 'note.txt');

const everything: Peer['has'] = {
  list: {
    tools: ['echo', 'trigger-long-running-operation', 'trigger-elicitation-request'],
    resources: ['demo://resource/static/document/features.md'],
    templates: ['demo://resource/dynamic/text/{resourceId}'],
    prompts: ['args-prompt', 'completable-prompt'],
  },
  call: { tool: 'echo', args: { message: 'grüße' }, text: 'Echo: grüße' },
  read: {
    'demo://resource/static/document/features.md': 'Features',
    'demo://resource/dynamic/text/7': 'Resource 7: This is a plaintext resource',
  },
  prompt: { name: 'args-prompt', args: { city: 'Ulm' }, text: "What's weather in Ulm?" },
  complete: {
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'S' },
    values: ['Sales', 'Support'],
  },
  cancel: {
    tool: 'trigger-long-running-operation',
    args: { duration: 60, steps: 6000 },
    heard: { absent: 'Its tool runs on, and says nothing more.' },
  },
  progress: {
    tool: 'trigger-long-running-operation',
    args: { duration: 0.03, steps: 3 },
    text: 'Long running operation completed',
    reports: [1, 2, 3],
  },
  elicit: {
    tool: 'trigger-elicitation-request',
    message: 'Please provide inputs for the following fields:',
    content: { name: 'Ada' },
    text: '- Name: Ada',
  },
  sample: { tool: 'trigger-sampling-request', args: { prompt: 'Where?', maxTokens: 10 }, text: 'The model says: Ulm' },
  roots: { tool: 'get-roots-list', text: 'file:///matrix' },
  log: logsNothing,
  follow: { absent: 'It makes up updates every five seconds, whatever is called.' },
};

/** What people really run: published servers, over each transport that they have. */
export const publishedPeers: readonly Peer[] = [
  published('server-everything', everything, 'stdio'),
  listening('server-everything over Streamable HTTP with sessions', 'streamableHttp', '/mcp'),
  listening('server-everything over HTTP+SSE', 'sse', '/sse'),
  published(
    'server-filesystem',
    {
      ...onlyTools,
      roots: { absent: 'It leaves the folders of its command line for the roots, which the test of a call needs.' },
      list: { tools: ['read_text_file', 'list_directory'] },
      call: { tool: 'read_text_file', args: { path: note }, text: 'grüße' },
    },
    folder,
  ),
  published('server-memory', {
    ...onlyTools,
    list: { tools: ['create_entities', 'read_graph'], resources: ['memory://knowledge-graph'] },
    call: {
      tool: 'create_entities',
      args: { entities: [{ name: 'Ada', entityType: 'person', observations: ['greets'] }] },
      text: '"Ada"',
    },
    read: { 'memory://knowledge-graph': '"entities"' },
    follow: {
      tool: 'add_observations',
      args: { observations: [{ entityName: 'Ada', contents: ['is greeted'] }] },
      text: 'is greeted',
      uri: 'memory://knowledge-graph',
    },
  }),
  published('server-sequential-thinking', {
    ...onlyTools,
    list: { tools: ['sequentialthinking'] },
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'First', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      text: '"thoughtHistoryLength": 1',
    },
  }),
];

function published(name: string, has: Peer['has'], ...args: readonly string[]): Peer {
  return {
    name: `${name} over stdio`,
    revision: '2025-11-25',
    has,
    start() {
      mkdirSync(folder, { recursive: true });
      writeFileSync(note, 'grüße');
      const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
      return Promise.resolve({
        target: overStdio(programOf(name), args, env),
        end() {
          rmSync(folder, { recursive: true });
          return Promise.resolve();
        },
      });
    },
  };
}

function listening(name: string, how: string, path: string): Peer {
  return {
    name,
    revision: '2025-11-25',
    has: everything,
    async start() {
      const { origin, end } = await startListening(programOf('server-everything'), [how]);
      return { target: `${origin}${path}`, end };
    },
  };
}
