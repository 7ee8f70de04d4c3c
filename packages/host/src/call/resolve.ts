import type { ContentBlock } from '@switchyard/protocol';
import type { AgentView } from '../catalog/agent-view.ts';
import type { Directory } from '../catalog/directory.ts';
import { mayOffer } from '../catalog/may-offer.ts';
import { governedByUri, type Governed } from '../policy/governed.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { denial } from './authorize.ts';
import type { Call, Stage, Resolution } from './call.ts';
import { kindOf, type Operation, shownSubject, subjectOf } from './operation.ts';
import { type Outcome, refused } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { Verdict } from './verdict.ts';

const MAX_SUBJECT_CHARS = 8192;

type Finding = Resolution | { readonly ambiguous: readonly string[] } | undefined;

/**
 * Finds what a call is about in the caller's own catalog, which holds only what its policy could permit: an exposed
 * name or URI becomes a server, its own name, and the definition as it was listed. Servers that could have the name and
 * have not said what they offer, or whose list is stale, are asked first. On the way back, links in a tool's result
 * become URIs that the caller can read.
 *
 * Refuses with `unknown`, `denied` (which only this process can tell from `unknown`), `ambiguous`, or `unavailable` for
 * a name of a server that has never said what it offers.
 */
export function resolve({ directory }: PipelineContext): Stage {
  return async (call, next) => {
    const { agent, operation, options } = call;
    let finding = find(operation, agent.view(), directory);
    if (finding === undefined) {
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
    return exposeLinks(await next(call), finding, agent.view());
  };
}

function find(operation: Operation, view: AgentView, directory: Directory): Finding {
  const subject = subjectOf(operation);
  if (subject.length > MAX_SUBJECT_CHARS) return undefined;
  switch (kindOf(operation)) {
    case 'tool':
      return toResolution(view.tools.get(subject), directory, (tool) => ({ kind: 'tool', tool }));
    case 'prompt':
      return toResolution(view.prompts.get(subject), directory, (prompt) => ({ kind: 'prompt', prompt }));
    default: {
      const template = operation.method === 'completion/complete' ? view.templates.get(subject) : undefined;
      if (template === undefined) return findResource(subject, view, directory);
      return toResolution({ ...template, name: template.key }, directory, () => ({ kind: 'resource' }));
    }
  }
}

function findResource(uri: string, view: AgentView, directory: Directory): Finding {
  const found = view.findResource(uri);
  if (found === undefined || 'ambiguous' in found) return found;
  const { server } = found;
  const entry = { server, name: found.uri, governed: governedByUri(server, found.uri) };
  return toResolution(entry, directory, () => ({ kind: 'resource' }));
}

type ResolutionKind = Resolution extends infer T
  ? T extends Resolution
    ? Omit<T, 'upstream' | 'governed' | 'name'>
    : never
  : never;

function toResolution<E extends { readonly server: string; readonly name: string; readonly governed: Governed }>(
  entry: E | undefined,
  directory: Directory,
  toKind: (entry: E) => ResolutionKind,
): Resolution | undefined {
  const upstream = entry === undefined ? undefined : directory.upstream(entry.server);
  if (entry === undefined || upstream === undefined) return undefined;
  return { upstream, name: entry.name, governed: entry.governed, ...toKind(entry) };
}

function refuseMissing(call: Call, candidates: readonly Upstream[], directory: Directory): Outcome {
  const { agent, operation } = call;
  const kind = kindOf(operation);
  const subject = subjectOf(operation);
  const hidden = find(operation, directory.whole(), directory);
  if (hidden !== undefined && 'upstream' in hidden) {
    call.resolution = hidden;
    return refused(denial(call, agent.policy.decide(hidden.governed).policies));
  }
  // Nobody knows what a server has that never said so; the policy decides on the name as it was asked for.
  const away = candidates.find(({ catalog }) => catalog === undefined);
  if (kind !== 'resource' && away?.unavailability !== undefined) {
    const { effect } = agent.policy.decide({ kind, server: away.name, name: subject, ownName: subject });
    if (effect !== 'deny') return refused(absence(away.name, away.unavailability));
  }
  const silent = kind === 'resource' ? undefined : silentServerOf(subject, directory);
  if (silent !== undefined) {
    const { effect, policies } = agent.policy.decide({ kind, server: silent, name: subject, ownName: subject });
    if (effect === 'deny') return refused(denial(call, policies));
  }
  return refused({ reason: 'unknown', message: `There is no ${kind} "${shownSubject(operation)}".` });
}

/** The server whose tool or prompt a name would be by its head, where that server never said what it offers. */
function silentServerOf(subject: string, directory: Directory): string | undefined {
  return directory.upstreams().find(({ name, catalog }) => catalog === undefined && mayOffer(name, 'tool', subject))
    ?.name;
}

function absence(server: string, { message, stderr }: NonNullable<Upstream['unavailability']>): Verdict {
  return { reason: 'unavailable', message, server, ...(stderr === undefined ? {} : { details: { stderr } }) };
}

function ambiguity(operation: Operation, uris: readonly string[]): Verdict {
  const message = `Several servers have the resource "${shownSubject(operation)}"; read one of: ${uris.join(', ')}.`;
  return { reason: 'ambiguous', message };
}

function exposeLinks(outcome: Outcome, { upstream }: Resolution, view: AgentView): Outcome {
  if (outcome.kind !== 'completed' || !('content' in outcome.result)) return outcome;
  const { content } = outcome.result;
  if (!content.some(({ type }) => type === 'resource_link')) return outcome;
  const exposed = content.map((block): ContentBlock => {
    if (block.type !== 'resource_link') return block;
    return Object.assign({}, block, { uri: view.exposeUri(upstream.name, block.uri) });
  });
  return { ...outcome, result: { ...outcome.result, content: exposed } };
}
