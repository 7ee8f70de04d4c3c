/** The side that the suite tests. */
export type Role = 'server' | 'client';

/** One scenario of the suite at one revision of the protocol. */
export interface Scenario {
  readonly role: Role;
  readonly revision: string;
  readonly name: string;
}

/**
 * The revisions that the fixtures are tested at, and how the suite names the scenarios of each: those that it requires
 * of a revision, scored or not, or for one that it has no such list for, all that exist at it. `all` is every scenario
 * there is, extensions included, each at the revision that the suite chooses.
 */
export const selections: { readonly [revision: string]: readonly string[] } = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2025-06-18': ['--spec-version', '2025-06-18'],
  '2025-03-26': ['--spec-version', '2025-03-26'],
  all: [],
};

/** The suite skips its only check, whatever a server does. */
const skipped = new Set(['tasks-status-notifications']);

const sections: { readonly [role in Role]: string } = { server: 'Server scenarios', client: 'Client scenarios' };

/**
 * Answers the scenarios that must pass: those that the suite lists for each revision, by `listings`. A client plays
 * each scenario in a process of its own, so that under `all` it plays only those that no revision has.
 *
 * @throws Error when a listing names no scenario of a role, because then its form has changed.
 */
export function planScenarios(listings: { readonly [revision: string]: string }): readonly Scenario[] {
  const servers = planRole('server', listings);
  const { all, ...ofRevisions } = listings;
  const clients = planRole('client', ofRevisions);
  const played = new Set(clients.map(({ name }) => name));
  const others = all === undefined ? [] : planRole('client', { all }).filter(({ name }) => !played.has(name));
  return [...servers, ...clients, ...others];
}

function planRole(role: Role, listings: { readonly [revision: string]: string }): readonly Scenario[] {
  return Object.entries(listings).flatMap(([revision, listing]) => {
    const listed = [...requiredOf(role, listing), ...unscoredOf(role, listing)];
    if (listed.length === 0) throw new Error(`the suite lists no ${role} scenario:\n${listing}`);
    return listed.filter((name) => !skipped.has(name)).map((name): Scenario => ({ role, revision, name }));
  });
}

function requiredOf(role: Role, listing: string): string[] {
  const [, section = ''] = new RegExp(`^${sections[role]}[^\\n]*\\n((?: +- .+\\n?)*)`, 'm').exec(listing) ?? [];
  return namesOf(section, /- (\S+)/g);
}

function unscoredOf(role: Role, listing: string): string[] {
  return namesOf(listing, new RegExp(`- (\\S+) \\[${role}\\]`, 'g'));
}

function namesOf(listing: string, pattern: RegExp): string[] {
  return [...listing.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
