import { acceptsBatches, ProtocolError, type Request, stringifyJson } from '@switchyard/protocol';

import { errorText } from '../dispatch/error-reply.ts';
import type { Incoming } from '../dispatch/incoming.ts';
import { refusalText } from '../dispatch/refusal-text.ts';
import { MAX_UNANSWERED_BYTES, MAX_UNREAD_BYTES } from '../limits/unread-limit.ts';
import type { LegacyConnection, LegacyDelivery, LegacyConnectionSite } from '../dispatch/legacy-adapter.ts';
import { createBatchRuns, parseBatch, type RunRequest } from './batch.ts';
import { claimsModern, isInitialize } from './era.ts';
import { answerInitialize } from './initialize.ts';
import { type LegacyCall, LegacySession } from './legacy-session.ts';
import type { LegacyShared } from './legacy-shared.ts';
import type { Outlet } from './outlet.ts';

/**
 * Serves the old client at the other end of one stream of messages, beside whatever modern requests come on it. It
 * begins with `initialize`; before, nothing but `ping` is taken. The session ends with the stream.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28).
 */
export function createLegacyConnection(shared: LegacyShared, site: LegacyConnectionSite): LegacyConnection {
  let session: LegacySession | undefined;
  const standalone = toOutlet(site.send, site);

  /** Answers the two requests that may come before there is a session. */
  function answerFirst(request: Request): string {
    if (request.method === 'ping') return stringifyJson({ jsonrpc: '2.0', id: request.id, result: {} });
    const { text } = answerInitialize(shared, request, (facts) => {
      session = new LegacySession(shared, facts, site.principal, standalone, () => site.onServerEnds?.());
    });
    return text;
  }

  async function runAlone(...[request, run]: Parameters<RunRequest>): ReturnType<RunRequest> {
    const isFree = session === undefined || request.method === 'ping';
    const tooMany = isFree ? undefined : site.oneTooMany();
    return tooMany === undefined ? run() : errorText(request.id, tooMany);
  }

  async function answer(request: Request, call: Call): Promise<string | undefined> {
    if (session === undefined) return answerFirst(request);
    session.prove(call.principal);
    const reply = await session.serve(request, call);
    if (reply?.error !== undefined) call.onError?.(reply.error);
    return reply?.text;
  }

  /** Answers what is sent for one message, or `undefined` for nothing. */
  async function answerTo(incoming: Incoming, call: Call, runs: RunRequest = runAlone): Promise<string | undefined> {
    switch (incoming.kind) {
      case 'request':
        return runs(incoming.message, () => answer(incoming.message, call));
      case 'notification':
        session?.notify(incoming.message);
        return undefined;
      case 'response':
        session?.settle(incoming.message);
        return undefined;
      case 'invalid':
      case 'invalid-response':
        return session?.fail(incoming) === true ? undefined : refusalText(incoming);
      default:
        return refusalText(incoming);
    }
  }

  async function serve(incoming: Incoming, call: Call): Promise<void> {
    const text = await answerTo(incoming, call);
    if (text !== undefined) call.send(text);
  }

  async function serveBatch(batch: readonly Incoming[] | string, call: Call): Promise<void> {
    if (typeof batch === 'string')
      return call.send(errorText(undefined, new ProtocolError('invalidRequest', `Invalid message: ${batch}`)));
    const runs = createBatchRuns(runAlone, site.enter, call.principal);
    const texts = (await Promise.all(batch.map((message) => answerTo(message, call, runs)))).filter(
      (text) => text !== undefined,
    );
    if (texts.length > 0) call.send(`[${texts.join(',')}]`);
    return undefined;
  }

  function callOf({ send = site.send, onError, ...delivery }: LegacyDelivery, chars: number): Call {
    const principal = 'principal' in delivery ? delivery.principal : site.principal;
    return { principal, outlet: toOutlet(send, site), chars, send, ...(onError === undefined ? {} : { onError }) };
  }

  return {
    receive(incoming, text, delivery = {}) {
      const call = (): Call => callOf(delivery, text.length);
      if (session === undefined)
        return (isInitialize(incoming) || isPing(incoming)) && !claimsModern(incoming)
          ? serve(incoming, call())
          : undefined;
      switch (incoming.kind) {
        case 'request':
          return claimsModern(incoming) ? undefined : serve(incoming, call());
        case 'notification':
          return session.notify(incoming.message) ? Promise.resolve() : undefined;
        case 'response':
        case 'invalid-response':
          return serve(incoming, call());
        case 'invalid': {
          if (session.fail(incoming)) return Promise.resolve();
          const batch = acceptsBatches(session.facts.revision)
            ? parseBatch(text, site.parsing, shared.limits.maxBatchMessages)
            : undefined;
          return batch === undefined ? undefined : serveBatch(batch, call());
        }
        default:
          return undefined;
      }
    },
    isBusy: () => session?.isBusy === true,
    end(reason) {
      session?.end(reason);
    },
  };
}

type Call = LegacyCall & Pick<LegacyDelivery, 'onError'> & { readonly send: (text: string) => void };

/** A notification may be left out; an ask that is not sent fails its handler. */
function toOutlet(send: Call['send'], { unreadBytes }: LegacyConnectionSite): Outlet {
  const sendWithin = (text: string, maxBytes: number): boolean => {
    if (unreadBytes() > maxBytes) return false;
    send(text);
    return true;
  };
  return {
    notify: (text) => sendWithin(text, MAX_UNREAD_BYTES),
    ask: (text) => sendWithin(text, MAX_UNANSWERED_BYTES),
  };
}

function isPing(incoming: Incoming): boolean {
  return incoming.kind === 'request' && incoming.message.method === 'ping';
}
