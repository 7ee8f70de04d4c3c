/**
 * The client that the official conformance suite starts, as `fixture-client URL`. The scenario comes in
 * `MCP_CONFORMANCE_SCENARIO`, the revision that it is played at in `MCP_CONFORMANCE_PROTOCOL_VERSION` and the
 * scenario's data, where it has any, as JSON in `MCP_CONFORMANCE_CONTEXT`. Without a scenario it lists the tools of the
 * URL and calls nothing. It exits with 0 when it is done, and with 1 and a message on stderr when it is not.
 */
import process from 'node:process';
import type { Client, ConnectOptions } from '@switchyard/client';
import { connect } from '@switchyard/client/node';

/** What one scenario asks of a client. */
interface Scenario {
  /** How it connects, beyond the defaults. */
  readonly options?: ConnectOptions;
  readonly play: (client: Client, context: unknown) => Promise<void>;
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
  'json-schema-ref-no-deref': { play: listTools },
  'json-schema-2020-12-preservation': {
    async play(client) {
      const { tools } = await client.listTools();
      const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
      await client.callTool('json_schema_echo', { schema });
    },
  },
};

async function listTools(client: Client): Promise<void> {
  await client.listTools();
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
  const { MCP_CONFORMANCE_SCENARIO: name, MCP_CONFORMANCE_CONTEXT: context } = process.env;
  const scenario = name === undefined ? { play: printTools } : findScenario(name);
  const client = await connect(url, {
    name: 'fixture',
    clientInfo: { name: 'switchyard-fixture-client', version: '1.0.0' },
    onWarning: ({ message }) => process.stderr.write(`${message}\n`),
    ...scenario.options,
  });
  try {
    assertRevision(client, process.env['MCP_CONFORMANCE_PROTOCOL_VERSION']);
    await scenario.play(client, context === undefined ? undefined : (JSON.parse(context) as unknown));
  } finally {
    await client.close();
  }
}

function findScenario(name: string): Scenario {
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (scenario !== undefined) return scenario;
  throw new Error(`The scenario "${name}" is unknown. Known are: ${Object.keys(scenarios).join(', ')}.`);
}

/** The suite plays one revision; a client that found another one would pass or fail for the wrong reason. */
function assertRevision(client: Client, expected: string | undefined): void {
  if (expected === undefined || client.revision === expected) return;
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
