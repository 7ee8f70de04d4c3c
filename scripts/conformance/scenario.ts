/** The side that the suite tests. */
export type Role = 'server' | 'client';

/** One scenario of the suite at one revision of the protocol. */
export interface Scenario {
  readonly role: Role;
  readonly revision: string;
  readonly name: string;
}

/**
 * The revisions that the fixture server is tested at, and how the suite names the scenarios of each: those that it
 * requires of a revision, scored or not, or for one that it has no such list for, all that exist at it. `all` is every
 * scenario there is, extensions included, each at the revision that the suite chooses.
 */
export const serverSelections: { readonly [revision: string]: readonly string[] } = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2025-06-18': ['--spec-version', '2025-06-18'],
  '2025-03-26': ['--spec-version', '2025-03-26'],
  all: [],
};

/** The suite skips its only check, whatever a server does. */
const skipped = new Set(['tasks-status-notifications']);

const clientScenarios: { readonly [revision: string]: readonly string[] } = {
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
  ],
  '2025-11-25': ['initialize', 'tools_call'],
};

/**
 * Answers the scenarios that must pass: of the server's, those that the suite lists for each revision, by `listings`;
 * of the client's, a fixed list.
 *
 * @throws Error when a listing names no server scenario, because then its form has changed.
 */
export function planScenarios(listings: { readonly [revision: string]: string }): readonly Scenario[] {
  return [
    ...Object.entries(listings).flatMap(([revision, listing]) =>
      serverScenarios(listing).map((name): Scenario => ({ role: 'server', revision, name })),
    ),
    ...Object.entries(clientScenarios).flatMap(([revision, names]) =>
      names.map((name): Scenario => ({ role: 'client', revision, name })),
    ),
  ];
}

function serverScenarios(listing: string): readonly string[] {
  const names = [...requiredOfServer(listing), ...unscoredOfServer(listing)].filter((name) => !skipped.has(name));
  if (names.length === 0) throw new Error(`the suite lists no server scenario:\n${listing}`);
  return names;
}

function requiredOfServer(listing: string): string[] {
  const [, section = ''] = /^Server scenarios[^\n]*\n((?: +- .+\n?)*)/m.exec(listing) ?? [];
  return [...section.matchAll(/- (\S+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function unscoredOfServer(listing: string): string[] {
  return [...listing.matchAll(/- (\S+) \[server\]/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
