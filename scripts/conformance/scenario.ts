/** The side that the suite tests. */
export type Role = 'server' | 'client';

/** One scenario of the suite at one revision of the protocol. */
export interface Scenario {
  readonly role: Role;
  readonly revision: string;
  readonly name: string;
}

/** The revision that the fixture server speaks. */
export const serverRevision = '2026-07-28';

/** What later work brings: input requests, tasks and skills. */
const outOfReach = /^(input-required-|tasks-|sep-2640-)/;

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
 * Answers the scenarios that must pass: of the server's, those that `conformance list --requirements 2026-07-28`
 * prints, scored or not; of the client's, a fixed list.
 *
 * @throws Error when the listing names no server scenario, because then its form has changed.
 */
export function planScenarios(listing: string): readonly Scenario[] {
  const server = [...requiredOfServer(listing), ...unscoredOfServer(listing)].filter((name) => !outOfReach.test(name));
  if (server.length === 0) throw new Error(`the suite lists no server scenario:\n${listing}`);
  return [
    ...server.map((name): Scenario => ({ role: 'server', revision: serverRevision, name })),
    ...Object.entries(clientScenarios).flatMap(([revision, names]) =>
      names.map((name): Scenario => ({ role: 'client', revision, name })),
    ),
  ];
}

function requiredOfServer(listing: string): string[] {
  const [, section = ''] = /^Server scenarios[^\n]*\n((?: +- .+\n?)*)/m.exec(listing) ?? [];
  return [...section.matchAll(/- (\S+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function unscoredOfServer(listing: string): string[] {
  return [...listing.matchAll(/- (\S+) \[server\]/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
