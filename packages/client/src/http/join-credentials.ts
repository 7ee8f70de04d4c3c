import type { HeaderFields, Principal } from '../message/connection.ts';
import type { CredentialedRequest, HttpCredentials, Refusal } from './credentials.ts';

/** Header fields of one request, and which of them each of several credentials answered. */
export interface JoinedFields {
  readonly fields: HeaderFields;
  readonly parts: readonly HeaderFields[];
}

/** Several credentials that act as one. */
export interface JoinedCredentials {
  /** Answers the fields of all; where two have one of the same name, that of the later ones counts. */
  fieldsFor(request: CredentialedRequest): JoinedFields | Promise<JoinedFields>;
  /** Asks each, the last first, until one answers that the request is worth repeating. */
  onRefusal(refusal: Omit<Refusal, 'fields'>, refused: JoinedFields): Promise<boolean>;
  onResponse(header: (name: string) => string | undefined): void;
  /** Who calls with these fields, or else now. */
  principal(sent?: JoinedFields): Principal;
}

/** Joins credentials, such as configured headers and a token of an authorization server. */
export function joinCredentials(all: readonly HttpCredentials[]): JoinedCredentials {
  return {
    fieldsFor(request) {
      const parts = all.map((one) => one.fieldsFor(request));
      return parts.every(isKnown) ? join(parts) : Promise.all(parts.map(async (part) => part)).then(join);
    },

    async onRefusal(refusal, { parts }) {
      for (let index = all.length - 1; index >= 0; index -= 1) {
        const isWorthIt = await all[index]?.onRefusal?.({ ...refusal, fields: parts[index] ?? {} });
        if (isWorthIt === true) return true;
      }
      return false;
    },

    onResponse(header) {
      for (const one of all) one.onResponse?.(header);
    },

    principal(sent) {
      const names: string[] = [];
      for (const [index, one] of all.entries()) {
        const name = one.principal(sent?.parts[index]);
        // Who is known in part may be anybody.
        if (name === null) return null;
        if (name !== undefined) names.push(name);
      }
      return names.length === 0 ? undefined : names.join(' ');
    },
  };
}

function join(parts: readonly HeaderFields[]): JoinedFields {
  const [only] = parts;
  const fields = parts.length === 1 && only !== undefined ? only : Object.assign({}, ...parts);
  return { fields: fields as HeaderFields, parts };
}

/** Credentials of others may answer promises that are not of this realm. */
function isKnown(part: HeaderFields | Promise<HeaderFields>): part is HeaderFields {
  return typeof part.then !== 'function';
}
