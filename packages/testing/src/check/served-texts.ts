import { isJsonObject, type JsonObject, methodOf } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { ServedTextKind } from './instruction-rules.ts';
import { errorOf, resultOf } from './seen.ts';
import type { CheckSite } from './site.ts';

/** One text that a server gave, and where. */
export interface ServedText {
  readonly where: string;
  readonly kind: ServedTextKind;
  readonly text: string;
  readonly exchange: RawExchange;
}

const MAX_TEXTS = 10_000;
const MAX_TOTAL_CHARS = 4 * 1024 * 1024;
const MAX_DEPTH = 32;

/** Members of definitions that people and models read; names of properties are read, too. */
const shown = new Set([
  'title',
  'description',
  'name',
  'const',
  'enum',
  'default',
  'examples',
  'instructions',
  'message',
]);

/** Members of results that hold no text, or none that a model is shown. */
const unread = new Set(['data', 'blob', '_meta', 'requestState']);

/**
 * Answers every text of a server that reaches a model: discovery, definitions, results, resources, prompts; at most 10,000, and 4 Mi characters.
 * `isWhole` says whether those are all.
 */
export async function servedTexts(site: CheckSite): Promise<{
  readonly texts: readonly ServedText[];
  readonly isWhole: boolean;
}> {
  const texts: ServedText[] = [];
  const discovery = await site.discovery();
  const result = resultOf(discovery);
  for (const [at, text] of definitionTexts({ instructions: result?.['instructions'], _meta: result?.['_meta'] }))
    texts.push({ where: `discovery${at}`, kind: 'description', text, exchange: discovery });
  for (const { member, entries, pages } of await site.lists()) {
    const [exchange] = pages;
    if (exchange === undefined) continue;
    for (const [index, entry] of entries.entries()) {
      const name = typeof entry['name'] === 'string' ? entry['name'] : String(index);
      for (const [at, text] of definitionTexts(entry))
        texts.push({ where: `${member} ${name}${at}`, kind: 'description', text, exchange });
    }
  }
  await site.called();
  const seen = new Set<string>();
  for (const exchange of site.client.exchanges) {
    for (const found of answeredTexts(exchange)) {
      const key = `${found.kind} ${found.text}`;
      if (!seen.has(key)) texts.push(found);
      seen.add(key);
    }
  }
  let chars = 0;
  const end = texts.findIndex(({ text }) => (chars += text.length) > MAX_TOTAL_CHARS);
  const looked = texts.slice(0, Math.min(MAX_TEXTS, end < 0 ? MAX_TEXTS : end));
  return { texts: looked, isWhole: looked.length === texts.length };
}

/** What an answer says: the result of what was called, retries included, errors, and what was told on the way. */
function answeredTexts(exchange: RawExchange): readonly ServedText[] {
  const { method, params } = exchange.sent;
  const { name, uri } = isJsonObject(params) ? params : {};
  const where = `${String(method)}${name === undefined && uri === undefined ? '' : ` ${String(name ?? uri)}`}`;
  const isSubject = methodOf(String(method))?.mayRequireInput === true;
  const kind = method === 'prompts/get' ? 'prompt' : 'content';
  const result = isSubject ? contentTexts(resultOf(exchange) ?? {}) : [];
  const error = contentTexts({ error: errorOf(exchange) });
  const told = exchange.received
    .filter((message) => typeof message['method'] === 'string')
    .flatMap((message) => walk(message['params'], `: ${String(message['method'])}`, 0, () => true));
  return [
    ...result.map(([at, text]) => ({ where: `${where}${at}`, kind, text, exchange }) as const),
    ...[...error, ...told].map(([at, text]) => ({ where: `${where}${at}`, kind: 'content', text, exchange }) as const),
  ];
}

type Located = readonly [at: string, text: string];

function definitionTexts(definition: JsonObject): readonly Located[] {
  return walk(definition, '', 0, (key) => shown.has(key));
}

/** Text blocks, resources, structured values, questions: whatever is no binary data. */
function contentTexts(result: JsonObject): readonly Located[] {
  return walk(result, '', 0, (key) => !unread.has(key));
}

function walk(
  value: unknown,
  at: string,
  depth: number,
  reads: (key: string) => boolean,
  isRead = false,
): readonly Located[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return isRead ? [[at, value]] : [];
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((entry, index) => walk(entry, `${at}[${index}]`, depth + 1, reads, isRead));
  if (!isJsonObject(value)) return [];
  const found: Located[] = [];
  for (const [key, member] of Object.entries(value)) {
    const below = `${at}.${key}`;
    // A name is an identifier; with a space in it, it is a text.
    if (key.includes(' ')) found.push([below, key]);
    found.push(...walk(member, below, depth + 1, reads, reads(key)));
  }
  return found;
}
