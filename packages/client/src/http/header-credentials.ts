import type { HeaderFields, Principal } from '../message/connection.ts';
import { withDeadline } from '../timing/deadline.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { ClientError } from '../peer/client-error.ts';
import type { HttpCredentials } from './credentials.ts';
import { digestOf } from '../peer/digest.ts';
import { type GivenHeaders, readFields } from './endpoint.ts';
import { secretsOf } from './secrets-of.ts';

/**
 * Headers of every request: fixed ones, or a function that says what they are now. A `Headers` object does for either.
 */
export type HeaderSource = GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>);

/** How long the function is waited for: it may ask a token endpoint, and no call can be made meanwhile. */
const ASKING_MS = 60_000;

/** One call of the function, and how many wait for it. */
interface Asking {
  readonly fields: Promise<HeaderFields>;
  readonly giveUp: AbortController;
  waiters: number;
}

/** Credentials that are the same as long as the connection is open. `fields` have names in lower case. */
export function createFixedCredentials(fields: HeaderFields): HttpCredentials {
  const principal = principalOf(fields);
  return { fieldsFor: () => fields, principal: () => principal };
}

/**
 * Credentials that a function of the caller answers. It is called before the first request and again after an HTTP 401,
 * not for each request; requests that come meanwhile share one call, and one that takes longer than all of them wait, or
 * than a minute, is given up: what it still answers is not used. A request is repeated once, when the new headers differ
 * from those that were refused. Rejects with a `ClientError` with code `authorization` where the function throws or takes
 * too long, and `invalid-argument` for what are no headers that HTTP can carry. The answers are masked in errors from then on.
 */
export function createAskedCredentials(
  context: PeerContext,
  ask: () => GivenHeaders | Promise<GivenHeaders>,
): HttpCredentials {
  let known: HeaderFields | undefined;
  let asking: Asking | undefined;
  const principals = new WeakMap<HeaderFields, Principal>();

  return {
    fieldsFor: ({ signal }) => known ?? askShared(signal),
    async onRefusal({ status, fields, refusals = 0, signal }) {
      if (status !== 401 || refusals > 0) return false;
      if (known === fields) known = undefined;
      return !isSame(known ?? (await askShared(signal)), fields);
    },
    // Between a refusal and the next answer nobody can say who calls: that is not the same as nobody.
    principal: (fields = known) => (fields === undefined ? null : principals.get(fields)),
  };

  async function askShared(signal: AbortSignal): Promise<HeaderFields> {
    const shared = (asking ??= begin());
    shared.waiters += 1;
    try {
      const fields = await untilAborted(signal, shared.fields);
      if (asking === shared) known = fields;
      return fields;
    } finally {
      shared.waiters -= 1;
      // Whoever comes later does not wait for what all others gave up.
      if (shared.waiters === 0) {
        if (asking === shared) asking = undefined;
        shared.giveUp.abort();
      }
    }
  }

  function begin(): Asking {
    const giveUp = new AbortController();
    const what = 'the function that answers its headers';
    const limits = { what, totalMs: ASKING_MS, signal: giveUp.signal };
    return { fields: withDeadline(context, limits, read).catch(failed), giveUp, waiters: 0 };
  }

  function failed(error: unknown): never {
    const isLate = error instanceof ClientError && error.code === 'timeout';
    if (!isLate) throw error;
    throw context.fail(
      'authorization',
      `the function that answers its headers took longer than ${ASKING_MS} ms and was given up.`,
    );
  }

  async function read(): Promise<HeaderFields> {
    let headers: GivenHeaders;
    try {
      headers = await ask();
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const said = excerpt(error instanceof Error ? error.message : String(error));
      throw context.fail('authorization', `the function that answers its headers failed: ${said}`, { cause: error });
    }
    const fields = readFields(context, headers);
    for (const secret of secretsOf('', fields)) context.learnSecret(secret);
    principals.set(fields, principalOf(fields));
    return fields;
  }
}

/** The order and the case of names do not matter. */
function principalOf(fields: HeaderFields): string | undefined {
  const pairs = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? undefined : `headers:${digestOf('headers', JSON.stringify(pairs))}`;
}

function isSame(a: HeaderFields, b: HeaderFields): boolean {
  return principalOf(a) === principalOf(b);
}
