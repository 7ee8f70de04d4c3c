import type { Session } from '../session/session.ts';
import { deepFreeze } from './deep-freeze.ts';

/** What makes of an answer, which may be shared by several clients, what this client gives out. */
export interface Finishing<T> {
  /**
   * Applies this client's own rules to an answer as it came; where nothing has to go it answers the same object. Throws
   * where the answer must not be given out.
   */
  readonly finish: (answer: T, session: Session) => T | Promise<T>;
  /** Whether the session learns from it, so that it is done anew when another answer was learned meanwhile. */
  readonly teaches?: boolean;
}

/** Answers that this client has finished. */
export interface FinishedAnswers {
  /** Answers what was made of an answer before, where that still holds. */
  find<T extends object>(work: Finishing<T>, answer: T, session: Session): T | undefined;
  /** Finishes an answer and answers it deeply frozen. Rejects as {@link Finishing.finish}. */
  finish<T extends object>(work: Finishing<T>, answer: T, session: Session): Promise<T>;
}

/** Creates the memory of one client. It holds nothing longer than the answers live. */
export function createFinishedAnswers(): FinishedAnswers {
  const finished = new WeakMap<object, object>();
  const taught = new WeakMap<Session, object>();

  return {
    find<T extends object>({ teaches }: Finishing<T>, answer: T, session: Session): T | undefined {
      if (teaches === true && taught.get(session) !== answer) return undefined;
      return finished.get(answer) as T | undefined;
    },
    async finish<T extends object>({ finish, teaches }: Finishing<T>, answer: T, session: Session): Promise<T> {
      const value = deepFreeze(await finish(answer, session));
      finished.set(answer, value);
      if (teaches === true) taught.set(session, answer);
      return value;
    },
  };
}
