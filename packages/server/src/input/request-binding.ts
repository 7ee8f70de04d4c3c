import type { JsonObject, Principal } from '@switchyard/protocol';

import { callerKey } from '../limits/caller-key.ts';
import { digestOf, digestOfReceived } from '../state/digest.ts';

/** The definition that a request is served by: what is listed of it, and the author's version of its handler. */
export interface ServedDefinition {
  readonly listed: object;
  readonly handlerVersion?: string | undefined;
  /** Whether each of its states is good for one retry only. */
  readonly singleUse?: boolean | undefined;
  /** Whether its handler may turn the call into a task. */
  readonly task?: 'optional' | 'required' | undefined;
  /** What its caller must be allowed. */
  readonly scopes?: readonly string[] | undefined;
}

/** What a request is for. */
export interface RequestSubject {
  /** The name of a tool or prompt, the URI of a resource. */
  readonly name: string;
  /** `undefined` without any, and where the method has none. */
  readonly arguments: JsonObject | undefined;
}

/** What request state belongs to. A state is good for nothing else. */
export interface RequestBinding extends RequestSubject {
  readonly audience: string;
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly definitions: readonly ServedDefinition[];
}

const definitionDigests = new WeakMap<object, string>();

/**
 * Answers the digest of everything that a request state is bound to: principal, the client that acts for it, audience,
 * method, name, arguments (without `_meta`), definitions and handler versions.
 *
 * Spec: basic/patterns/mrtr#server-requirements (2026-07-28).
 *
 * @throws ProtocolError -32602 when the arguments hold half of a surrogate pair, which has no canonical form.
 */
export function bindingDigest({ principal, ...binding }: RequestBinding): string {
  const definitions = binding.definitions.map(({ listed, handlerVersion = '' }) => [
    definitionDigest(listed),
    handlerVersion,
  ]);
  const { audience, method, name } = binding;
  return digestOfReceived('arguments', [
    audience,
    callerKey(principal),
    principal?.clientId ?? null,
    method,
    name,
    binding.arguments ?? {},
    definitions,
  ] satisfies unknown[]);
}

function definitionDigest(listed: object): string {
  let digest = definitionDigests.get(listed);
  if (digest === undefined) definitionDigests.set(listed, (digest = digestOf(listed)));
  return digest;
}
