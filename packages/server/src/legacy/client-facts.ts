import {
  type ClientCapabilities,
  type Implementation,
  implementation,
  isAtLeast,
  isJsonObject,
  type JsonObject,
  type LegacyRevision,
  type Method,
  methods,
} from '@switchyard/protocol';

/** What an old client said of itself at `initialize`, in the modern form. */
export interface ClientFacts {
  readonly revision: LegacyRevision;
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
}

/**
 * Extensions that have methods of their own, all of which came with 2026-07-28: in a session there are none, whoever
 * declares them.
 */
const modernExtensions: ReadonlySet<string> = new Set(
  Object.values<Method>(methods).flatMap(({ extension }) => (extension === undefined ? [] : [extension])),
);

/** Answers the extensions that may be declared in a session. Spec: seps/2663-tasks-extension. */
export function toLegacyExtensions(given: JsonObject): { readonly [identifier: string]: JsonObject } {
  const declared = Object.entries(given).filter(
    ([id, settings]) => !modernExtensions.has(id) && isJsonObject(settings),
  );
  return Object.fromEntries(declared) as { readonly [identifier: string]: JsonObject };
}

/**
 * Answers the capabilities of an old client as handlers read them. What its revision does not have is left out, and so
 * is a member that is no object: some clients write `true` or `null`.
 */
export function toModernCapabilities(revision: LegacyRevision, given: unknown): ClientCapabilities {
  const { experimental, roots, sampling, elicitation, extensions } = objectsOf(given);
  const isNewest = isAtLeast(revision, '2025-11-25');
  return {
    ...(experimental === undefined ? {} : { experimental }),
    ...(roots === undefined ? {} : { roots }),
    ...(sampling === undefined ? {} : { sampling: samplingOf(isNewest, sampling) }),
    ...(elicitation === undefined || !isAtLeast(revision, '2025-06-18')
      ? {}
      : { elicitation: isNewest ? objectsOf(elicitation) : { form: {} } }),
    ...(extensions === undefined ? {} : { extensions: toLegacyExtensions(extensions) }),
  };
}

/** Before 2025-11-25 every client that samples takes contexts, and none takes tools. */
function samplingOf(isNewest: boolean, sampling: JsonObject): NonNullable<ClientCapabilities['sampling']> {
  return isNewest ? objectsOf(sampling) : { context: {} };
}

/** The members that are objects. */
function objectsOf(given: unknown): { readonly [name: string]: JsonObject | undefined } & JsonObject {
  const members = isJsonObject(given) ? Object.entries(given).filter(([, value]) => isJsonObject(value)) : [];
  return Object.fromEntries(members) as { readonly [name: string]: JsonObject };
}

/**
 * Answers the name and version of a client, or `undefined` where it gave nothing of the sort. Its icons, which may be
 * whole images, are left out: a session would keep them for nobody.
 */
export function toModernInfo(given: unknown): Implementation | undefined {
  if (implementation(given) === undefined) {
    const { icons: _icons, ...info } = given as Implementation;
    return info;
  }
  const { name, version } = isJsonObject(given) ? given : {};
  if (typeof name !== 'string') return undefined;
  return { name, version: typeof version === 'string' ? version : '' };
}
