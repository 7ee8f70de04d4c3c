import type { JsonObject } from '@switchyard/protocol';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../../src/index.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { createScriptedPeer, type ScriptedPeer, type Written } from '../scripted-peer.ts';
import { closeAfterwards } from '../serve-scripted.ts';

/** A state of the task `t-1`, or the error that a look at it gets, or `silent` where it gets nothing. */
export type State = JsonObject;

/** A server whose every tool call becomes the task `t-1`. */
export interface TaskServer {
  readonly client: Client;
  readonly peer: ScriptedPeer;
  readonly clock: ManualClock;
  readonly warnings: ClientWarning[];
  /** What the looks see, one after the other; the last one stays. */
  readonly states: State[];
  /** The errors that answers to what it asked get, one after the other; then they are taken. */
  readonly refuses: JsonObject[];
  /** The methods about tasks that the client sent, in order. */
  methods(): string[];
  /** The params of what the client sent with a method, without `_meta`. */
  paramsOf(method: string): JsonObject[];
}

/** A task in some state, working unless told otherwise. */
export function taskState(more: JsonObject = {}): State {
  return {
    taskId: 't-1',
    status: 'working',
    createdAt: '2026-11-30T10:00:00Z',
    lastUpdatedAt: '2026-11-30T10:00:00Z',
    ttlMs: null,
    pollIntervalMs: 1000,
    ...more,
  };
}

/** The task when it is done, with a result that says `text`. */
export function done(text: string, more: JsonObject = {}): State {
  return taskState({ status: 'completed', result: { content: [{ type: 'text', text }] }, ...more });
}

/** The task when it asks for a form under each key; `more` replaces what the forms say. */
export function asks(...given: (string | { readonly message: string })[]): State {
  const keys = given.filter((key) => typeof key === 'string');
  const more = given.find((each) => typeof each === 'object');
  const requestedSchema = { type: 'object', properties: { who: { type: 'string' } } };
  const params = { message: 'Who?', requestedSchema, ...more };
  const inputRequests = Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params }]));
  return taskState({ status: 'input_required', inputRequests });
}

export async function serveTasks(
  options: ConnectOptions = {},
  {
    created = {},
    states = [],
    isSlowToCancel = false,
  }: { readonly created?: JsonObject; readonly states?: State[]; readonly isSlowToCancel?: boolean } = {},
): Promise<TaskServer> {
  const clock = createManualClock();
  const warnings: ClientWarning[] = [];
  const refuses: JsonObject[] = [];
  const peer = createScriptedPeer(({ id, method }) => {
    if (method === 'tools/call') peer.answer(id, { resultType: 'task', ...taskState(), ...created });
    else if (method === 'tasks/update' && refuses.length > 0) peer.send({ jsonrpc: '2.0', id, error: refuses.shift() });
    else if (method === 'tasks/cancel' && isSlowToCancel) {
      setTimeout(() => peer.answer(id, { resultType: 'complete' }), 20);
    } else if (method === 'tasks/update' || method === 'tasks/cancel') peer.answer(id, { resultType: 'complete' });
    else if (method === 'tasks/get') {
      const state = (states.length > 1 ? states.shift() : states[0]) ?? taskState();
      if ('code' in state) peer.send({ jsonrpc: '2.0', id, error: state });
      else if (!('silent' in state)) peer.answer(id, { resultType: 'complete', ...state });
    } else return false;
    return true;
  });
  const client = await connect(peer.transport, {
    name: 'depot',
    clock,
    tasks: true,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  closeAfterwards(client);
  const aboutTasks = (): Written[] => peer.written.filter(({ method = '' }) => method.startsWith('tasks/'));
  return {
    client,
    peer,
    clock,
    warnings,
    states,
    refuses,
    methods: () => aboutTasks().map(({ method = '' }) => method),
    paramsOf: (wanted) =>
      peer.written.filter(({ method }) => method === wanted).map(({ params = {} }) => withoutMeta(params)),
  };
}

function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}
