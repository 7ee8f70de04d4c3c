import {
  type AccessList,
  accessLists,
  type AgentConfiguration,
  NAME_SEPARATOR,
  parseAccessEntry,
  URI_SEPARATOR,
} from '@switchyard/config';
import { exposedNameHead, exposedServerName } from '../catalog/exposed-name.ts';
import { globMatches, globsOverlap } from './glob.ts';
import type { GovernedKind } from './governed.ts';
import { usualPattern } from './usual-spelling.ts';

/** The access lists of an agent: the short form of a policy. */
export type AccessLists = Pick<AgentConfiguration, AccessList>;

/** One entry of an access list. */
export interface AccessRule {
  readonly effect: AccessList;
  /** Where it stands in its list. */
  readonly index: number;
  /** As it is written. */
  readonly entry: string;
  readonly kind: GovernedKind;
  /** What it matches: the pattern as it is written, then under other spellings of a server's name or of a URI. */
  readonly patterns: readonly string[];
}

/** An agent's access lists as Cedar policies. */
export interface CompiledLists {
  /** All entries: deny, ask, allow. */
  readonly rules: readonly AccessRule[];
  /** One Cedar policy for each entry, by a policy id such as `deny[0]`. */
  readonly policies: Readonly<Record<string, string>>;
  /** The ids of the policies whose permission needs an approval first. */
  readonly asks: ReadonlySet<string>;
  /** All policies as one text, to be shown. */
  readonly text: string;
  /**
   * Answers whether the policy might permit, perhaps after an approval, something of a kind whose name fits `glob` (`*`
   * for any characters). False is certain; true is not.
   */
  couldReach(kind: GovernedKind, glob: string): boolean;
}

/** One pattern of a rule, which becomes one policy. */
interface Clause extends Pick<AccessRule, 'effect' | 'kind'> {
  readonly id: string;
  readonly pattern: string;
}

const entityTypes = { tool: 'Tool', resource: 'Resource', prompt: 'Prompt' } as const;
const actions = { tool: 'call', resource: 'read', prompt: 'prompt' } as const;

/** Answers the Cedar action on a kind of thing. */
export function actionOn(kind: GovernedKind): 'call' | 'read' | 'prompt' {
  return actions[kind];
}

/** Answers the Cedar entity type of a kind of thing. */
export function entityTypeOf(kind: GovernedKind): 'Tool' | 'Resource' | 'Prompt' {
  return entityTypes[kind];
}

/**
 * Compiles an agent's `allow`, `ask` and `deny` into Cedar policies. Deny beats ask, ask beats allow, and what no entry
 * matches is denied.
 *
 * Entries are patterns over exposed names. `servers` are the configured names of all servers: a `deny` entry for tools
 * or prompts that begins with one of them covers that server, too, where its exposed name differs, so that a forgotten
 * spelling does not open what was meant to be closed. For the same reason a `deny` or `ask` entry for resources covers
 * what another spelling of a URI asks for, as far as `usualSpelling` tells; an `allow` entry does not.
 */
export function compileShortForm(agent: string, lists: AccessLists, servers: Iterable<string>): CompiledLists {
  const names = [...servers];
  const rules = accessLists.flatMap((effect) =>
    lists[effect].map((entry, index): AccessRule => {
      const { kind, pattern } = parseAccessEntry(entry);
      return { effect, index, entry, kind, patterns: [pattern, ...respelled({ effect, kind, pattern }, names)] };
    }),
  );
  const clauses = rules.flatMap(({ effect, index, kind, patterns }) =>
    patterns.map((pattern, variant): Clause => {
      const id = variant === 0 ? `${effect}[${index}]` : `${effect}[${index}].${variant}`;
      return { id, effect, kind, pattern };
    }),
  );
  const policies = Object.fromEntries(clauses.map((clause) => [clause.id, toCedar(agent, clause)]));
  return {
    rules,
    policies,
    asks: new Set(clauses.filter(({ effect }) => effect === 'ask').map(({ id }) => id)),
    text: Object.values(policies).join('\n\n'),
    couldReach(kind, glob) {
      // Stars of the glob are names that nobody knows yet, so only a deny that covers them all counts.
      const whole = glob.replaceAll('*', '\u{FFFF}');
      const ofKind = clauses.filter((clause) => clause.kind === kind);
      if (ofKind.some(({ effect, pattern }) => effect === 'deny' && globMatches(pattern, whole))) return false;
      return ofKind.some(({ effect, pattern }) => effect !== 'deny' && globsOverlap(pattern, glob));
    },
  };
}

/** The other spellings of a pattern under which an entry has to hold, each of which differs from it. */
function respelled({ effect, kind, pattern }: Omit<Clause, 'id'>, servers: readonly string[]): string[] {
  if (kind === 'resource') return effect === 'allow' ? [] : inUsualSpelling(pattern);
  return effect === 'deny' ? underExposedNames(pattern, servers) : [];
}

function inUsualSpelling(pattern: string): string[] {
  const uriAt = pattern.indexOf(URI_SEPARATOR) + 1;
  const usual = pattern.slice(0, uriAt) + usualPattern(pattern.slice(uriAt));
  return usual === pattern ? [] : [usual];
}

/**
 * The pattern with an exposed server name at its head, once for each server whose differing configured name stands
 * there.
 */
function underExposedNames(pattern: string, servers: readonly string[]): string[] {
  return servers
    .filter((server) => exposedServerName(server) !== server && pattern.startsWith(server + NAME_SEPARATOR))
    .map((server) => exposedNameHead(server) + pattern.slice(server.length + NAME_SEPARATOR.length));
}

function toCedar(agent: string, { id, effect, kind, pattern }: Clause): string {
  const matched = literal(pattern);
  const annotations = `@id(${literal(id)})${effect === 'ask' ? '\n@approval("required")' : ''}`;
  const keyword = effect === 'deny' ? 'forbid' : 'permit';
  const scope = `principal == Agent::${literal(agent)}, action == Action::"${actions[kind]}", resource is ${entityTypes[kind]}`;
  const names = kind === 'resource' && effect === 'allow' ? ['name'] : ['name', 'ownName'];
  const condition = names.map((name) => `resource.${name} like ${matched}`).join(' || ');
  return `${annotations}\n${keyword} (${scope})\nwhen { ${condition} };`;
}

/** A Cedar string or pattern literal. A star stays a wildcard, as the short form means it. */
function literal(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]|["\\]/gu, (character) =>
      character === '"' || character === '\\'
        ? `\\${character}`
        : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
    );
  return `"${escaped}"`;
}
