import type { ContentBlock } from '@switchyard/protocol';
import type { Directory } from '../catalog/directory.ts';
import { parseQualifiedUri } from '../catalog/resource-address.ts';
import { governedByUri, type Governed, type GovernedKind } from '../policy/governed.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { denial } from './authorize.ts';
import type { Call, CallingAgent, Stage, Resolution } from './call.ts';
import { notSent } from './effect.ts';
import { unavailable, withEffect } from './failure.ts';
import { find } from './find.ts';
import { kindOf, type Operation, shownSubject, subjectOf, traitsOf } from './operation.ts';
import { type Outcome, refused } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { Verdict } from './verdict.ts';

/**
 * Finds what a call is about in the caller's own catalog, which holds only what its policy could permit: an exposed
 * name or URI becomes a server, its own name, and the definition as it was listed. Servers that could have the name and
 * have not said what they offer, or whose list is stale, are asked first. On the way back, links in the result of a
 * tool or prompt become URIs that the caller can read.
 *
 * Refuses with `unknown`, `denied` (which only this process can tell from `unknown`), `ambiguous`, or `unavailable` for
 * what the policy lets a server have that has never said what it offers.
 */
export function resolve({ directory }: PipelineContext): Stage {
  return async (call, next) => {
    const { agent, operation, options } = call;
    let finding = find(operation, agent.view(), directory);
    if (finding === undefined || directory.isOpen(agent.policy, kindOf(operation), subjectOf(operation))) {
      let candidates: readonly Upstream[];
      try {
        candidates = await directory.ask(agent.policy, kindOf(operation), subjectOf(operation), options.signal);
      } catch {
        // Only the caller's signal ends the waiting early.
        return refused({ reason: 'cancelled', message: 'The caller gave the call up before it ran.' });
      }
      finding = find(operation, agent.view(), directory);
      if (finding === undefined) return refuseMissing(call, candidates, directory);
    }
    if ('ambiguous' in finding) return refused(ambiguity(operation, finding.ambiguous));
    call.resolution = finding;
    return exposeLinks(await next(call), finding, agent);
  };
}

function refuseMissing(call: Call, candidates: readonly Upstream[], directory: Directory): Outcome {
  const { agent, operation } = call;
  const kind = kindOf(operation);
  const subject = subjectOf(operation);
  // Nobody knows what a server has that never said so; the policy decides on the name as it was asked for. This goes
  // before anything that is known of servers out of reach, so that it tells nothing about them.
  const away = candidates.filter((upstream) => {
    const isAway = upstream.catalog === undefined && upstream.unavailability !== undefined;
    return isAway && agent.policy.decide(asGoverned(kind, upstream.name, subject)).effect !== 'deny';
  });
  const [absent] = away;
  if (absent?.unavailability !== undefined) {
    const verdict = unavailable(absent.name, absent.unavailability);
    if (traitsOf(operation).hasEffect) return refused(withEffect(verdict, notSent));
    const isOwner = directory.ownerOf(kind, subject) !== undefined;
    return refused(isOwner ? verdict : { ...verdict, message: nobodyHas(operation, away) });
  }
  const hidden = find(operation, directory.whole(), directory);
  if (hidden !== undefined) {
    // Of what several servers have, the caller may reach none.
    if ('ambiguous' in hidden) return refused(denial(call));
    call.resolution = hidden;
    return refused(denial(call, agent.policy.decide(hidden.governed).policies));
  }
  const owner = directory.ownerOf(kind, subject);
  if (owner !== undefined && owner.catalog === undefined) {
    const { effect, policies } = agent.policy.decide(asGoverned(kind, owner.name, subject));
    if (effect === 'deny') return refused(denial(call, policies));
  }
  return refused({ reason: 'unknown', message: `There is no ${kind} "${shownSubject(operation)}".` });
}

/** What a name or URI would be for a policy if a server had it. */
function asGoverned(kind: GovernedKind, server: string, subject: string): Governed {
  if (kind === 'resource') return governedByUri(server, parseQualifiedUri(subject)?.uri ?? subject);
  return { kind, server, name: subject, ownName: subject };
}

function nobodyHas(operation: Operation, away: readonly Upstream[]): string {
  const names = away.map(({ name }) => `"${name}"`).join(', ');
  const [who, has] = away.length === 1 ? ['MCP server', 'has'] : ['the MCP servers', 'have'];
  return `No server that answered has the resource "${shownSubject(operation)}"; ${who} ${names} ${has} not answered and could have it.`;
}

function ambiguity(operation: Operation, uris: readonly string[]): Verdict {
  const message = `Several servers have the resource "${shownSubject(operation)}"; read one of: ${uris.join(', ')}.`;
  return { reason: 'ambiguous', message };
}

/** Makes the links in the result of a tool or prompt URIs of the agent's catalog, which is looked at for links only. */
function exposeLinks(outcome: Outcome, { upstream }: Resolution, agent: CallingAgent): Outcome {
  if (outcome.kind !== 'completed') return outcome;
  const { result } = outcome;
  if ('messages' in result && result.messages.some(({ content }) => isLink(content))) {
    const expose = agent.view().exposeLinks(upstream.name);
    const messages = result.messages.map((message) =>
      Object.assign({}, message, { content: exposeLink(message.content, expose) }),
    );
    return { ...outcome, result: { ...result, messages } };
  }
  if ('content' in result && result.content.some(isLink)) {
    const expose = agent.view().exposeLinks(upstream.name);
    const content = result.content.map((block) => exposeLink(block, expose));
    return { ...outcome, result: { ...result, content } };
  }
  return outcome;
}

function exposeLink(block: ContentBlock, expose: (uri: string) => string): ContentBlock {
  return isLink(block) ? { ...block, uri: expose(block.uri) } : block;
}

function isLink(block: ContentBlock): block is ContentBlock & { readonly type: 'resource_link' } {
  return block.type === 'resource_link';
}
