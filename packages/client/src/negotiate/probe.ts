import { type JsonObject, ProtocolError } from '@switchyard/protocol';
import { repeatIfBroken } from '../session/repeat.ts';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import { isModernError } from '../modern/modern-error.ts';
import { createModernRequests, createModernSession, type ModernSetup } from '../modern/modern-session.ts';
import { readDiscovery } from '../modern/read-discovery.ts';
import type { SendOptions, Session } from '../session/session.ts';
import { isMeaningful } from '../session/era-evidence.ts';
import { whileBusy } from '../session/while-busy.ts';

/**
 * What asking a server for `server/discover` came to:
 *
 * - `modern`: it is a modern server, and here is the session.
 * - `refused`: it proved to be modern, but there can be no session.
 * - `legacy`: it answered as only servers of legacy revisions do.
 * - `unknown`: the answer says nothing about the era, or there was none.
 */
export type ProbeOutcome =
  | { readonly kind: 'modern'; readonly session: Session }
  | { readonly kind: 'refused' | 'unknown'; readonly error: unknown }
  | { readonly kind: 'legacy'; readonly reason: string };

/** What a probe needs. */
export interface ProbeSetup extends ModernSetup {
  /** As `SessionSetup.timeLeftMs`. */
  readonly timeLeftMs?: (() => number) | undefined;
}

/**
 * Probes the era of a server with `server/discover`; it never rejects. A result of that method or one of the three
 * modern errors proves a modern server, whatever revisions it offers: `initialize` does not follow. Any other answer is
 * that of a legacy server, whatever its code; over HTTP that takes a status of 2xx or 4xx, except those of access and
 * load; a server that is busy is asked again, as {@link whileBusy} says.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions,
 * basic/transports/stdio#backward-compatibility, basic/transports/streamable-http#backward-compatibility (2026-07-28).
 */
export async function probe(setup: ProbeSetup, signal: AbortSignal): Promise<ProbeOutcome> {
  const requests = createModernRequests(setup);
  try {
    const options: SendOptions = {
      signal,
      leavesSilently: true,
      onNotification: () => undefined,
      wantsProgress: false,
      hold: setup.hold,
    };
    const ask = (): Promise<JsonObject> => requests.send('server/discover', {}, options);
    const result = await whileBusy(setup, signal, () => repeatIfBroken(setup.connection, ask));
    return readProbeResult(setup, requests, result);
  } catch (error) {
    if (isModernError(error)) return { kind: 'refused', error };
    if (error instanceof ClientError) return readFailure(error);
    if (error instanceof ProtocolError && saysSomething(setup, error.status)) {
      return { kind: 'legacy', reason: `server/discover got the error ${error.code} ${excerpt(error.message)}` };
    }
    return { kind: 'unknown', error };
  }
}

function readProbeResult(
  setup: ModernSetup,
  requests: ReturnType<typeof createModernRequests>,
  result: JsonObject,
): ProbeOutcome {
  const reading = readDiscovery(setup.context, result);
  if ('problem' in reading)
    return { kind: 'legacy', reason: `server/discover got an answer that is none: ${reading.problem}` };
  return { kind: 'modern', session: createModernSession(setup, requests, reading.facts) };
}

function readFailure(error: ClientError): ProbeOutcome {
  if (error.code === 'version') return { kind: 'refused', error };
  if (error.code === 'http-status' && error.status !== undefined && isMeaningful(error.status)) {
    return { kind: 'legacy', reason: `server/discover got HTTP ${error.status}` };
  }
  return { kind: 'unknown', error };
}

function saysSomething({ connection }: ModernSetup, status: number): boolean {
  return connection.kind === 'duplex' || isMeaningful(status);
}
