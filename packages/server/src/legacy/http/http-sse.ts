import type { Principal } from '@switchyard/protocol';

import { watchCredentials } from '../../authorization/watch-credentials.ts';
import { busy } from '../../limits/busy.ts';
import { createCallerCounts } from '../../limits/caller-counts.ts';
import { callerKey } from '../../limits/caller-key.ts';
import { MAX_UNANSWERED_BYTES } from '../../limits/unread-limit.ts';
import type { HttpHead } from '../../exchange/http-exchange.ts';
import { refuse, refuseWith } from '../../http/refuse.ts';
import { messageEvent, openSse, type SseConnection } from '../../http/sse-connection.ts';
import type { Incoming } from '../../dispatch/incoming.ts';
import type { LegacyConnection, LegacyExchange, LegacyHttpSite } from '../../dispatch/legacy-adapter.ts';
import { createLegacyConnection } from '../legacy-connection.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import { idTaken } from './id-taken.ts';

/** The HTTP+SSE transport of 2024-11-05: one stream to the client, and a POST for each of its messages. */
export interface HttpSse {
  /** Opens the stream. Its first event names the URL that messages are posted to. */
  open(exchange: LegacyExchange): void;
  /** Answers the id in the query of a URL that messages are posted to. */
  idOf(head: HttpHead): string | undefined;
  /** Whether a handler of this connection may wait for what is posted. */
  has(id: string): boolean;
  /** Takes a message: 202, and what it is answered with comes on the stream. */
  post(id: string, exchange: LegacyExchange, incoming: Incoming, text: string): Promise<void>;
  /** Whether a request runs. */
  isBusy(): boolean;
  /** Ends every stream. */
  end(): void;
}

interface OpenStream {
  readonly owner: string;
  readonly connection: LegacyConnection;
  readonly sse: SseConnection;
  /** Lets the stream last as long as what its client proves itself by now. */
  renew(principal: Principal | undefined): void;
  /** Ends the stream if the server has ended what its client listens to, once nothing runs whose answer comes on it. */
  endIfOver(): void;
}

const QUERY = 'sessionId';

/**
 * Makes the transport. The session ends with its stream, and messages are posted to the path that the stream was
 * fetched from. The stream ends when the credentials of the newest message do, and who reads none of it gets no further
 * requests served.
 *
 * Spec: 2024-11-05/basic/transports#http-with-sse.
 */
export function createHttpSse(shared: LegacyShared, site: LegacyHttpSite): HttpSse {
  const { endpoint, keepAliveMs } = site;
  const { limits, createId } = shared;
  const open = new Map<string, OpenStream>();
  const places = createCallerCounts({ max: limits.maxSessions, maxOfOne: limits.maxSessionsPerCaller });

  return {
    open({ exchange, principal, cors = {} }) {
      const id = createId();
      if (open.has(id)) return refuseWith(exchange, idTaken(), cors);
      const leave = places.take(principal);
      if (typeof leave !== 'function') {
        const tooMany = busy('Busy: too many streams are open; close one, or come back later');
        return refuseWith(exchange, tooMany, cors);
      }
      let stopWatch: (() => void) | undefined;
      let isOver = false;
      const onClosed = (): void => {
        leave();
        stopWatch?.();
        open.get(id)?.connection.end('the stream has ended');
        open.delete(id);
      };
      const sse = openSse(exchange, { headers: cors, keepAliveMs, onClosed });
      if (!sse.isOpen()) return undefined;
      const connection = createLegacyConnection(shared, {
        ...site,
        principal,
        send: (text) => sse.write(messageEvent(text)),
        unreadBytes: () => sse.unreadBytes(),
        // The POST that brings a request was counted.
        oneTooMany: () => undefined,
        onServerEnds() {
          isOver = true;
          endIfOver();
        },
      });
      const endIfOver = (): void => {
        if (isOver && !connection.isBusy()) sse.end();
      };
      const renew: OpenStream['renew'] = (proved) => {
        stopWatch?.();
        stopWatch = watchCredentials(proved, endpoint, () => sse.end());
      };
      open.set(id, { owner: callerKey(principal), connection, sse, renew, endIfOver });
      renew(principal);
      return sse.write(`event: endpoint\ndata: ${endpointOf(exchange.head, id)}\n\n`);
    },
    idOf({ target }) {
      const query = target.indexOf('?');
      return query < 0 ? undefined : (new URLSearchParams(target.slice(query)).get(QUERY) ?? undefined);
    },
    has: (id) => open.has(id),
    async post(id, { exchange, principal, cors = {} }, incoming, text) {
      const known = open.get(id);
      if (known === undefined || callerKey(principal) !== known.owner)
        return refuse(exchange, 404, 'The stream of this URL is unknown or has ended: open another one with GET', cors);
      known.renew(principal);
      const isAnswer = incoming.kind === 'response' || incoming.kind === 'notification';
      const tooMany = isAnswer ? undefined : site.oneTooMany();
      if (tooMany !== undefined) return refuseWith(exchange, tooMany, cors);
      if (!isAnswer && known.sse.unreadBytes() > MAX_UNANSWERED_BYTES)
        return refuse(
          exchange,
          503,
          'The client has not read what was answered on its stream: nothing more is served until it does',
          cors,
        );
      const served = known.connection.receive(incoming, text, {
        principal,
        onError: (error) => void site.refuse(exchange.head, error, principal),
      });
      if (served === undefined && incoming.kind !== 'notification')
        return refuse(
          exchange,
          400,
          `The stream has no session that takes this message: send initialize first (got ${incoming.kind})`,
          cors,
        );
      exchange.reply(202, cors, '');
      await served;
      return known.endIfOver();
    },
    isBusy: () => [...open.values()].some(({ connection }) => connection.isBusy()),
    end() {
      for (const { sse } of open.values()) sse.end();
    },
  };
}

/**
 * Answers the path that messages are posted to: the one that the stream was fetched from, with its query, which may say
 * whose it is.
 */
function endpointOf({ target }: HttpHead, id: string): string {
  const { pathname, search } = new URL(target, 'http://localhost');
  const query = new URLSearchParams(search);
  query.set(QUERY, id);
  return `${pathname}?${query.toString()}`;
}
