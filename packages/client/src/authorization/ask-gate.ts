import type { Clock } from '../peer/clock.ts';
import type { Hold } from '../timing/hold.ts';
import type { BoundedWork } from './bounded-work.ts';
import type { ObtainRequest } from './obtain-token.ts';
import { createSharedWork } from './share-work.ts';

/** Why somebody waits for a token. */
export interface AskRequest extends Omit<ObtainRequest, 'signal' | 'asksUser'> {
  /** Of who waits; the work goes on without him. */
  readonly signal: AbortSignal;
  /** Stops the deadline of who waits while a user is asked. */
  readonly hold?: Hold | undefined;
  /** Whether the user wants to be asked, so that it does not matter what he said a moment ago. */
  readonly isWanted?: boolean;
  /** Is told when the work begins, which others may wait for, too. */
  readonly onStart?: () => void;
  /** Whether, by the time the work could begin, others have done it. */
  readonly isMoot?: () => boolean;
}

/** What stands before the user: one question at a time, for all who wait, and none again at once that failed. */
export interface AskGate {
  /** Obtains a token, once for all who ask under the same key. */
  obtain(key: string, request: AskRequest): Promise<void>;
  /** How often a user agreed. */
  agreements(): number;
  /** Has the next ones who ask get an error instead of a question, too. */
  refuse(error: unknown): void;
}

/** What a gate leads to. */
interface AskGateOptions {
  readonly clock: Clock;
  readonly limited: BoundedWork['limited'];
  readonly obtain: (request: ObtainRequest) => Promise<void>;
}

/** A user who did not agree is not asked again by each call that comes right after. */
const ASK_AGAIN_MS = 30_000;

export function createAskGate({ clock, limited, obtain }: AskGateOptions): AskGate {
  const work = createSharedWork();
  const waiting = new Set<(turn: Promise<void>) => void>();
  let turn: Promise<void> | undefined;
  let agreements = 0;
  let refused: { readonly error: unknown; readonly at: number } | undefined;

  return {
    async obtain(key, { signal, hold, isWanted = false, onStart, isMoot, ...request }) {
      const stopHolding = hold === undefined ? undefined : holdWhileAsked(hold);
      try {
        await work.run(key, signal, async () => {
          if (isMoot?.() === true) return;
          const isRecent = refused !== undefined && clock.now() - refused.at < ASK_AGAIN_MS;
          if (isRecent && !isWanted) throw refused?.error;
          onStart?.();
          let isAsked = false;
          try {
            await limited((limit) =>
              obtain({
                ...request,
                signal: limit,
                asksUser(ask) {
                  isAsked = true;
                  return takeTurn(ask);
                },
              }),
            );
            refused = undefined;
            if (isAsked) agreements += 1;
          } catch (error) {
            if (isAsked) refuse(error);
            throw error;
          }
        });
      } finally {
        stopHolding?.();
      }
    },
    agreements: () => agreements,
    refuse,
  };

  function refuse(error: unknown): void {
    refused = { error, at: clock.now() };
  }

  /** A user takes longer than a server may: while he is asked, and no longer, nobody's deadline comes nearer. */
  async function takeTurn<T>(ask: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    for (const join of waiting) join(promise);
    try {
      return await ask();
    } finally {
      turn = undefined;
      resolve();
    }
  }

  function holdWhileAsked(hold: Hold): () => void {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const join = (asked: Promise<void>): void => void hold(() => Promise.race([asked, isOver]));
    waiting.add(join);
    if (turn !== undefined) join(turn);
    return () => {
      waiting.delete(join);
      resolve();
    };
  }
}
