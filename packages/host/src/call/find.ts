import type { AgentView } from '../catalog/agent-view.ts';
import type { Directory } from '../catalog/directory.ts';
import type { TemplateEntry } from '../catalog/entry.ts';
import { hasOneSpelling, MAX_SUBJECT_CHARS } from '../catalog/resource-address.ts';
import { type GivenVariables, settleTemplate } from '../catalog/settle-template.ts';
import { type Governed, governedByUri } from '../policy/governed.ts';
import type { Resolution } from './call.ts';
import { kindOf, type Operation, subjectOf, variablesOf } from './operation.ts';

type Finding = Resolution | { readonly ambiguous: readonly string[] } | undefined;

/**
 * Finds what an operation is about in a catalog: a server with its own name and definition, the ways to name one of
 * several resources, or nothing.
 */
export function find(operation: Operation, view: AgentView, directory: Directory): Finding {
  const subject = subjectOf(operation);
  if (subject.length > MAX_SUBJECT_CHARS) return undefined;
  switch (kindOf(operation)) {
    case 'tool':
      return toResolution(view.tools.get(subject), directory, (tool) => ({ kind: 'tool', tool }));
    case 'prompt':
      return toResolution(view.prompts.get(subject), directory, (prompt) => ({ kind: 'prompt', prompt }));
    default: {
      const variables = variablesOf(operation);
      const template = variables === undefined ? undefined : view.findTemplate(subject);
      if (variables === undefined || template === undefined) return findResource(subject, view, directory);
      return findTemplate(template, variables, directory);
    }
  }
}

/** Of a template the policy decides on the URIs that the caller's values lead to. */
function findTemplate(
  { key, server, template }: TemplateEntry,
  variables: GivenVariables,
  directory: Directory,
): Finding {
  const uri = settleTemplate(template, variables);
  if (uri !== key && !hasOneSpelling(uri)) return undefined;
  return toResolution({ server, name: key, governed: governedByUri(server, uri) }, directory, () => ({
    kind: 'resource',
  }));
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
