import { assertKnownOptions, type ClientCapabilities, type KnownOptions } from '@switchyard/protocol';
import { assertMilliseconds } from '../timing/assert-limits.ts';
import type { ServerAsking } from './server-asking.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { createAsker } from './asker.ts';
import { createInputAnswerer } from './create-input-answerer.ts';
import type { InputAnswerer } from './input-answerer.ts';
import { inputCapabilities } from './input-capabilities.ts';
import type { InputHandlers } from './input-handlers.ts';
import { DEFAULT_MAX_ROUNDS } from './rounds.ts';

/** What a client needs to answer what its server asks for. */
export interface InputSetup {
  /** What the client declares. */
  readonly capabilities: ClientCapabilities;
  /** Whether the server is told when the roots change, where the revision has a way. */
  readonly announcesRoots: boolean;
  readonly rounds: { readonly input: InputAnswerer; readonly maxRounds: number };
  readonly asking: ServerAsking;
}

const inputHandlers: KnownOptions<InputHandlers> = {
  trust: true,
  elicitForm: true,
  elicitUrl: true,
  sample: true,
  roots: true,
  review: true,
  maxRounds: true,
  timeoutMs: true,
  maxConcurrent: true,
  maxSamplesPerMinute: true,
  allowsSensitiveForms: true,
};

/**
 * Sets up the answers to a server by the handlers of a client and what it declares beyond them. Throws a `ClientError`
 * with code `invalid-argument` for limits that cannot be meant, and a `TypeError` for a handler that there is none of.
 */
export function setUpInput(
  context: PeerContext,
  handlers: InputHandlers,
  declared: ClientCapabilities = {},
): InputSetup {
  assertKnownOptions('connect, input', handlers, inputHandlers);
  const { maxRounds = DEFAULT_MAX_ROUNDS, trust = 'untrusted' } = handlers;
  assertMilliseconds(context, 'input.timeoutMs', handlers.timeoutMs);
  for (const name of ['maxRounds', 'maxConcurrent', 'maxSamplesPerMinute'] as const) {
    const value = handlers[name] ?? 1;
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw context.fail('invalid-argument', `input.${name} must be a positive integer, not ${value}.`);
  }
  const capabilities = inputCapabilities(declared, handlers);
  const asker = createAsker({ context, handlers, capabilities, trust });
  return {
    capabilities,
    announcesRoots: handlers.roots !== undefined,
    rounds: { input: createInputAnswerer(context, asker), maxRounds },
    asking: { asker, maxRounds },
  };
}
