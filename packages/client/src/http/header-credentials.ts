import type { HeaderFields } from '../message/connection.ts';
import { untilAborted } from '../timing/deadline.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { ClientError } from '../peer/client-error.ts';
import type { HttpCredentials } from './credentials.ts';
import { digestOf } from '../peer/digest.ts';
import { readFields } from './endpoint.ts';
import { secretsOf } from './secrets-of.ts';

/** Headers of every request: fixed ones, or a function that says what they are now. */
export type HeaderSource = HeaderFields | (() => HeaderFields | Promise<HeaderFields>);

/** Credentials that are the same as long as the connection is open. `fields` have names in lower case. */
export function createFixedCredentials(fields: HeaderFields): HttpCredentials {
  const principal = principalOf(fields);
  return { fieldsFor: () => fields, principal: () => principal };
}

/**
 * Credentials that a function of the caller answers. It is called before the first request and again after an HTTP 401,
 * not for each request; requests that come meanwhile share one call. A request is repeated when the new headers differ
 * from those that were refused. Rejects with a `ClientError` with code `authorization` where the function throws, and
 * `invalid-argument` for headers that HTTP cannot carry. The answers are masked in errors from then on.
 */
export function createAskedCredentials(
  context: PeerContext,
  ask: () => HeaderFields | Promise<HeaderFields>,
): HttpCredentials {
  let known: HeaderFields | undefined;
  let asking: Promise<HeaderFields> | undefined;

  return {
    fieldsFor: ({ signal }) => known ?? untilAborted(signal, askOnce()),
    async onRefusal({ status, fields, signal }) {
      if (status !== 401) return false;
      if (known === fields) known = undefined;
      return !isSame(await untilAborted(signal, known === undefined ? askOnce() : Promise.resolve(known)), fields);
    },
    principal: () => (known === undefined ? undefined : principalOf(known)),
  };

  function askOnce(): Promise<HeaderFields> {
    asking ??= read().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function read(): Promise<HeaderFields> {
    let headers: HeaderFields;
    try {
      headers = await ask();
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const said = excerpt(error instanceof Error ? error.message : String(error));
      throw context.fail('authorization', `the function that answers its headers failed: ${said}`, { cause: error });
    }
    const fields = readFields(context, typeof headers === 'object' ? headers : {});
    for (const secret of secretsOf('', fields)) context.learnSecret(secret);
    known = fields;
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
