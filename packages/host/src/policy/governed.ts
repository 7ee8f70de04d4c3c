import { type AccessKind, URI_SEPARATOR } from '@switchyard/config';
import { exposedName, exposedNameHead } from '../catalog/exposed-name.ts';
import { usualSpelling } from './usual-spelling.ts';

/** The kinds of things that a policy governs. */
export type GovernedKind = AccessKind;

/** One thing that a policy decides on, under the names by which patterns know it. */
export interface Governed {
  readonly kind: GovernedKind;
  /** The configured name of the server. */
  readonly server: string;
  /** The exposed name of a tool or prompt; `server:uri` of a resource. */
  readonly name: string;
  /**
   * The server's exposed name with the tool's or prompt's own name, which differs from `name` where that had to be made
   * safe; `server:uri` of a resource in the usual spelling of its URI.
   */
  readonly ownName: string;
}

/** Names a tool or a prompt for a policy. */
export function governedByName(kind: 'tool' | 'prompt', server: string, name: string): Governed {
  return { kind, server, name: exposedName(server, name), ownName: exposedNameHead(server) + name };
}

/**
 * Names a resource, or a resource template, for a policy. A configured server name holds no colon, so no two collide.
 */
export function governedByUri(server: string, uri: string): Governed {
  const head = server + URI_SEPARATOR;
  return { kind: 'resource', server, name: head + uri, ownName: head + usualSpelling(uri) };
}

/** Answers the pattern of the names under which a policy knows what a resource template gives. */
export function templateGlob({ name }: Governed): string {
  return name.replaceAll(/\{[^{}]*\}/g, '*');
}

/** Answers the pattern of the names under which a policy knows everything of a kind that a server could have. */
export function governedGlob(kind: GovernedKind, server: string): string {
  return kind === 'resource' ? governedByUri(server, '*').name : `${exposedNameHead(server)}*`;
}
