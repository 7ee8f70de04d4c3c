import { createHash } from 'node:crypto';
import { cleanText } from '@switchyard/guards';
import { parseUriTemplate, type Prompt, type Resource, type ResourceTemplate } from '@switchyard/protocol';
import { canonicalJson } from '../json/canonical-json.ts';
import { freezeJson } from '../json/freeze-json.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { governedByName, governedByUri } from '../policy/governed.ts';
import type { EntryReading, PromptEntry, ResourceEntry, TemplateEntry } from './entry.ts';
import { exposedName } from './exposed-name.ts';
import { isUriExposable, isUriTemplateExposable, MAX_ADDRESS_BYTES } from './resource-address.ts';

const MAX_SHOWN_CHARS = 120;
const ADDRESS_LIMIT = `The limit is ${MAX_ADDRESS_BYTES} bytes, in the form that names the server, too.`;

/** Makes a server's prompt ready. */
export function createPromptEntry(server: string, definition: Prompt): EntryReading<PromptEntry> {
  const reading = readDefinition(definition.name, definition);
  if ('reason' in reading) return reading;
  const key = exposedName(server, definition.name);
  const entry: PromptEntry = {
    key,
    server,
    name: definition.name,
    governed: governedByName('prompt', server, definition.name),
    digest: reading.digest,
    declared: new Set(definition.arguments?.map(({ name }) => name)),
    definition,
    exposed: Object.freeze({ ...definition, name: key, server, originalName: definition.name }),
  };
  return { entry };
}

/** Makes a server's resource ready. */
export function createResourceEntry(server: string, definition: Resource): EntryReading<ResourceEntry> {
  const { uri } = definition;
  const reading = readDefinition(uri, definition);
  if ('reason' in reading) return reading;
  if (!isUriExposable(server, uri)) return { name: shownName(uri), reason: `Its uri is too long. ${ADDRESS_LIMIT}` };
  return { entry: { key: uri, server, governed: governedByUri(server, uri), definition } };
}

/** Makes a server's resource template ready. */
export function createTemplateEntry(server: string, definition: ResourceTemplate): EntryReading<TemplateEntry> {
  const { uriTemplate } = definition;
  const reading = readDefinition(uriTemplate, definition);
  if ('reason' in reading) return reading;
  if (!isUriTemplateExposable(server, uriTemplate)) {
    return { name: shownName(uriTemplate), reason: `Its uriTemplate is too long. ${ADDRESS_LIMIT}` };
  }
  try {
    const template = parseUriTemplate(uriTemplate);
    return { entry: { key: uriTemplate, server, governed: governedByUri(server, uriTemplate), definition, template } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { name: shownName(uriTemplate), reason: `Its uriTemplate cannot be read: ${why}` };
  }
}

/** Freezes a definition and answers its digest, or why it cannot be used. */
export function readDefinition(
  name: string,
  definition: object,
): { readonly digest: string } | { readonly name: string; readonly reason: string } {
  if (isDeeperThan(definition, MAX_JSON_DEPTH)) {
    return { name: shownName(name), reason: `It nests deeper than ${MAX_JSON_DEPTH} levels.` };
  }
  try {
    const digest = createHash('sha256').update(canonicalJson(definition)).digest('hex');
    freezeJson(definition);
    return { digest };
  } catch {
    return { name: shownName(name), reason: 'It holds text that is not well-formed Unicode.' };
  }
}

/** A name from outside, fit for a message. */
export function shownName(name: string): string {
  return cleanText(name, { maxChars: MAX_SHOWN_CHARS });
}
