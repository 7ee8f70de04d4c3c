/**
 * The client that the official conformance suite starts, as `fixture-client URL`. The scenario comes in
 * `MCP_CONFORMANCE_SCENARIO`, the revision that it is played at in `MCP_CONFORMANCE_PROTOCOL_VERSION` and the
 * scenario's data, where it has any, as JSON in `MCP_CONFORMANCE_CONTEXT`. Without a scenario it lists the tools of the
 * URL and calls nothing. It exits with 0 when it is done, and with 1 and a message on stderr when it is not.
 */
import process from 'node:process';
import type { Client, ConnectOptions } from '@switchyard/client';
import { createOAuthCredentials } from '@switchyard/client/authorization';
import { connect } from '@switchyard/client/node';
import { machineGrant, machineScenarios } from './machine-grants.ts';
import { userCredentials, userScenarios } from '../fixture/auth-client.ts';

/** What one scenario asks of a client. */
interface Scenario {
  /** How it connects, beyond the defaults. */
  readonly options?: ConnectOptions;
  readonly play: (client: Client, context: unknown) => Promise<void>;
  /** Whether the suite's server may agree on another revision than the one that is played. */
  readonly isOfAnyRevision?: boolean;
}

/** A call that the context of a scenario asks for. */
interface ToolCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
}

const scenarios: { readonly [name: string]: Scenario } = {
  initialize: { play: listTools },
  tools_call: {
    async play(client) {
      await client.listTools();
      await client.callTool('add_numbers', { a: 5, b: 3 });
    },
  },
  'sse-retry': {
    async play(client) {
      await client.callTool('test_reconnection');
    },
  },
  'request-metadata': {
    options: { capabilities: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } } },
    play: listTools,
  },
  'http-standard-headers': { play: useEachFeature },
  'http-custom-headers': {
    async play(client, context) {
      await client.listTools();
      for (const call of toolCallsOf(context)) await client.callTool(call.name, call.arguments);
    },
  },
  'http-invalid-tool-headers': {
    async play(client) {
      const { tools } = await client.listTools();
      for (const { name } of tools) await client.callTool(name, { region: 'eu-west1' });
    },
  },
  'elicitation-sep1034-client-defaults': {
    options: { input: { elicitForm: (ask) => Promise.resolve({ action: 'accept', content: ask.prefill() }) } },
    async play(client) {
      await client.callTool('test_client_elicitation_defaults');
    },
  },
  'sep-2322-client-request-state': {
    options: { input: { elicitForm: () => Promise.resolve({ action: 'accept', content: { confirmed: true } }) } },
    async play(client) {
      // Side by side, so that the rounds of one go on while the other is under way.
      await Promise.all([client.callTool('test_mrtr_echo_state'), client.callTool('test_mrtr_unrelated')]);
      await client.callTool('test_mrtr_no_state');
      await client.callTool('test_mrtr_no_result_type');
    },
  },
  'sep-2640-client-no-prefetch': {
    isOfAnyRevision: true,
    async play(client) {
      await client.listSkills();
    },
  },
  'sep-2640-client-verify-digest': { play: loadFirstSkill, isOfAnyRevision: true },
  'sep-2640-client-verify-size': { play: loadFirstSkill, isOfAnyRevision: true },
  'sep-2640-client-verify-frontmatter': { play: loadFirstSkill, isOfAnyRevision: true },
  ...Object.fromEntries(machineScenarios.map((name) => [name, { play: listTools }])),
  ...Object.fromEntries(userScenarios.map((name) => [name, userScenario(name)])),
  'json-schema-ref-no-deref': { play: listTools },
  'json-schema-2020-12-preservation': {
    async play(client) {
      const { tools } = await client.listTools();
      const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
      await client.callTool('json_schema_echo', { schema });
    },
  },
};

/** The suite's servers for the authorization of 2025-03-26 speak every revision. */
function userScenario(name: string): Scenario {
  return { play: listAndCall, isOfAnyRevision: name.startsWith('auth/2025-03-26-') };
}

async function listAndCall(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool('test-tool');
}

async function listTools(client: Client): Promise<void> {
  await client.listTools();
}

/** Loads a skill with all of its files. The suite's skills are tampered with, so it is right that this fails. */
async function loadFirstSkill(client: Client): Promise<void> {
  const [skill] = (await client.listSkills()).skills;
  if (skill === undefined) throw new Error('The server lists no skill that can be loaded.');
  const loaded = await client.loadSkill(skill);
  for (const { uri } of loaded.files) await loaded.readFile(uri);
}

/** Lists and uses one tool, one resource and one prompt of the server. */
async function useEachFeature(client: Client): Promise<void> {
  const [tool] = (await client.listTools()).tools;
  if (tool !== undefined) await client.callTool(tool.name);
  const [resource] = (await client.listResources()).resources;
  if (resource !== undefined) await client.readResource(resource.uri);
  const [prompt] = (await client.listPrompts()).prompts;
  if (prompt !== undefined) await client.getPrompt(prompt.name);
}

function toolCallsOf(context: unknown): readonly ToolCall[] {
  const calls =
    typeof context === 'object' && context !== null && 'toolCalls' in context ? context.toolCalls : undefined;
  if (!Array.isArray(calls))
    throw new Error('MCP_CONFORMANCE_CONTEXT must hold the array toolCalls for this scenario.');
  return calls as readonly ToolCall[];
}

async function main(): Promise<void> {
  const url = process.argv.at(-1);
  if (process.argv.length < 3 || url === undefined)
    throw new Error('Give the URL of an MCP server: fixture-client URL');
  const { MCP_CONFORMANCE_SCENARIO: name, MCP_CONFORMANCE_CONTEXT: contextText } = process.env;
  const context = contextText === undefined ? undefined : (JSON.parse(contextText) as unknown);
  const scenario: Scenario = name === undefined ? { play: printTools } : findScenario(name);
  const client = await connect(url, {
    name: 'fixture',
    clientInfo: { name: 'switchyard-fixture-client', version: '1.0.0' },
    onWarning: ({ message }) => process.stderr.write(`${message}\n`),
    ...machineOptions(name, url, context),
    ...userOptions(name, url, context),
    ...scenario.options,
  });
  try {
    if (scenario.isOfAnyRevision !== true) {
      assertRevision(client, process.env['MCP_CONFORMANCE_PROTOCOL_VERSION']);
    }
    await scenario.play(client, context);
  } finally {
    await client.close();
  }
}

function machineOptions(name: string | undefined, url: string, context: unknown): ConnectOptions {
  const grant = name === undefined ? undefined : machineGrant(name, context);
  return grant === undefined ? {} : { credentials: createOAuthCredentials({ serverUrl: url, grant }) };
}

function userOptions(name: string | undefined, url: string, context: unknown): ConnectOptions {
  const isOfUser = name !== undefined && userScenarios.includes(name);
  return isOfUser ? { credentials: userCredentials(name, url, context) } : {};
}

function findScenario(name: string): Scenario {
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (scenario !== undefined) return scenario;
  throw new Error(`The scenario "${name}" is unknown. Known are: ${Object.keys(scenarios).join(', ')}.`);
}

/**
 * The suite plays one revision; a client that found another one would pass or fail for the wrong reason. Of the legacy
 * ones its servers take the newest that a client offers.
 */
function assertRevision(client: Client, expected: string | undefined): void {
  if (expected === undefined || client.revision === expected) return;
  if (client.era === 'legacy' && client.revision > expected) return;
  throw new Error(`The suite plays ${expected}, but the server was reached at ${client.revision}.`);
}

async function printTools(client: Client): Promise<void> {
  const { tools, leftOut } = await client.listTools();
  for (const { name } of tools) process.stdout.write(`${name}\n`);
  for (const { name, reason } of leftOut) process.stderr.write(`${name}: ${reason}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`fixture-client: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
