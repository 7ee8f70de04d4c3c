import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { createServer, silentLogger } from '@switchyard/server';
import { type RunningServer, serveHttp } from '@switchyard/server/node';
import {
  createRawClient,
  errorOf,
  openRawConnection,
  type RawClient,
  type RawExchange,
  resultOf,
} from '@switchyard/testing';

/** What an experiment works with: instances of one server, and a client that sends exactly what it is told. */
export interface Laboratory {
  readonly client: RawClient;
  /** How often the tool's own code ran, over all instances. */
  runs(): number;
}

/** What the tool asks for: a person's choice and a model's sentence, together. */
export const everything = { elicitation: { form: {} }, sampling: {} };

/** Good answers to both. */
export const answers = {
  destination: { action: 'accept', content: { city: 'Lisbon' } },
  greeting: { role: 'assistant', content: { type: 'text', text: 'Enjoy the river.' }, model: 'example-model' },
};

/** Makes a key for request state: 32 random bytes. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Serves one instance for each key, has the experiment done, and closes everything. The instances share nothing but
 * what their keys have in common; the exit code of the process is 1 when an assertion of the experiment fails.
 */
export async function experiment(
  question: string,
  keys: readonly string[],
  work: (laboratory: Laboratory) => Promise<void>,
): Promise<void> {
  let runs = 0;
  const running: RunningServer[] = [];
  for (const key of keys)
    running.push(
      await serveHttp(
        createTrips(key, () => (runs += 1)),
        { port: 0 },
      ),
    );
  const client = createRawClient({
    transport: 'http',
    instances: running.length,
    open: (instance) => openRawConnection({ url: running[instance - 1]?.url ?? '' }),
  });
  console.log(`Question: ${question}`);
  try {
    await work({ client, runs: () => runs });
    console.log('The assertions hold.');
  } finally {
    await client.close();
    for (const server of running) await server.close({ graceMs: 0 });
  }
}

/** The first request of every experiment with rounds: the tool asks for its input. */
export async function askForTrip({ client }: Laboratory): Promise<RawExchange> {
  const asked = await client.request(
    'book a trip',
    'tools/call',
    { name: 'book_trip', arguments: {} },
    { capabilities: everything },
  );
  assert.equal(resultOf(asked)?.['resultType'], 'input_required');
  show('first request', asked);
  return asked;
}

/** The state that a request for input carries. */
export function stateOf(exchange: RawExchange): string {
  const state = resultOf(exchange)?.['requestState'];
  assert.ok(typeof state === 'string');
  return state;
}

/** Repeats the request with answers and a state, on an instance. */
export function retryTrip(
  { client }: Laboratory,
  label: string,
  retry: { readonly state: string; readonly answers?: object; readonly instance?: number },
): Promise<RawExchange> {
  const { state, answers: inputResponses = answers, instance = 1 } = retry;
  const params = { name: 'book_trip', arguments: {}, inputResponses, requestState: state };
  return client.request(label, 'tools/call', params, { capabilities: everything, instance });
}

/** Prints what came. */
export function show(what: string, exchange: RawExchange): void {
  const error = errorOf(exchange);
  const said =
    error === undefined ? JSON.stringify(withoutState(resultOf(exchange) ?? {})) : `error ${JSON.stringify(error)}`;
  console.log(`  ${what}: HTTP ${exchange.status ?? ''} ${said}`);
}

function withoutState({ requestState, _meta, ...result }: { readonly [member: string]: unknown }): object {
  return requestState === undefined ? result : { ...result, requestState: '…' };
}

function createTrips(key: string, onRun: () => void) {
  const server = createServer({ name: 'trips', version: '1.0.0' }, { state: { keys: [key] }, logger: silentLogger });
  const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return server.tool('book_trip', { description: 'Books a trip to a city of your choice' }, async (_args, ctx) => {
    onRun();
    const [destination, greeting] = await Promise.all([
      ctx.elicit('destination', { message: 'Where to?', schema: city }),
      ctx.sample('greeting', {
        messages: [{ role: 'user', content: { type: 'text', text: 'Wish a good trip.' } }],
        maxTokens: 50,
      }),
    ]);
    if (destination.action !== 'accept') return 'No trip was booked.';
    const text = (greeting.content as { readonly text?: string }).text ?? '';
    return `A trip to ${String(destination.content['city'])} is booked. ${text}`;
  });
}
