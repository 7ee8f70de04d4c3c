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
const MAX_WHERE_CHARS = 200;

const MIN_DATA_CHARS = 256;
const DATA_URL = /^data:[\w/+.-]{1,100};base64,/;
const NO_BASE64 = /[^\w+/=-]/;

/**
 * Answers every text of a server that reaches a model, of all that it has answered: discovery, definitions, results,
 * resources, prompts, errors, notifications; each text once; at most 10,000, and 4 Mi characters. `isWhole` says
 * whether those are all.
 */
export async function servedTexts(site: CheckSite): Promise<{
  readonly texts: readonly ServedText[];
  readonly isWhole: boolean;
}> {
  await site.lists();
  await site.called();
  const texts: ServedText[] = [];
  const seen = new Map<ServedTextKind, Set<string>>();
  let chars = 0;
  for (const exchange of site.client.exchanges) {
    for (const found of textsOf(exchange)) {
      const { kind, text } = found;
      const known = seen.get(kind) ?? new Set();
      if (known.has(text)) continue;
      seen.set(kind, known.add(text));
      chars += text.length;
      if (texts.length === MAX_TEXTS || chars > MAX_TOTAL_CHARS) return { texts, isWhole: false };
      texts.push(found);
    }
  }
  return { texts, isWhole: true };
}

/** What an answer says: its result or error, and what was told on the way. */
function* textsOf(exchange: RawExchange): Generator<ServedText> {
  const { method, params } = exchange.sent;
  const { name, uri } = isJsonObject(params) ? params : {};
  const where = `${String(method)}${name === undefined && uri === undefined ? '' : ` ${String(name ?? uri)}`}`;
  for (const part of resultParts(where, exchange)) yield* textsIn(part, exchange);
  yield* textsIn({ where: `${where}.error`, kind: 'content', value: errorOf(exchange) }, exchange);
  for (const message of exchange.received) {
    if (typeof message['method'] !== 'string') continue;
    yield* textsIn({ where: `${where}: ${message['method']}`, kind: 'content', value: message['params'] }, exchange);
  }
}

interface Part {
  readonly where: string;
  readonly kind: ServedTextKind;
  readonly value: unknown;
}

/** A result in parts of one kind each. The state of a request is its server's own, and no model sees it. */
function* resultParts(where: string, exchange: RawExchange): Generator<Part> {
  const { requestState: _state, ...result } = resultOf(exchange) ?? {};
  const method = String(exchange.sent['method']);
  const list = methodOf(method)?.list;
  const { [list?.member ?? '']: entries, ...others } = result;
  if (method === 'server/discover') yield { where: 'discovery', kind: 'description', value: result };
  else if (list === undefined) yield { where, kind: method === 'prompts/get' ? 'prompt' : 'content', value: result };
  else {
    for (const [index, entry] of (Array.isArray(entries) ? (entries as unknown[]) : [entries]).entries()) {
      const name = isJsonObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : String(index);
      yield { where: `${list.member} ${name}`, kind: 'description', value: entry };
    }
    yield { where, kind: 'description', value: others };
  }
}

/**
 * Every text of a value, and every name in it that is a text: an identifier has no space. It may be nested as deep as
 * JSON goes.
 */
function* textsIn({ where, kind, value }: Part, exchange: RawExchange): Generator<ServedText> {
  const open = [[[where, value] as Located].values()];
  for (let members = open.at(-1); members !== undefined; members = open.at(-1)) {
    const next = members.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const [at, found] = next.value;
    if (typeof found === 'object' && found !== null) open.push(membersOf(at, found));
    else if (typeof found === 'string' && found !== '' && !isData(found))
      yield { where: at.slice(0, MAX_WHERE_CHARS), kind, text: found, exchange };
  }
}

/**
 * Binary data as text, and what is as long and has no space: no words. What does not belong there is looked for, since
 * an expression that matches all of some megabytes needs more stack than there is.
 */
function isData(text: string): boolean {
  const data = text.replace(DATA_URL, '');
  return data.length >= MIN_DATA_CHARS && !NO_BASE64.test(data);
}

type Located = readonly [at: string, value: unknown];

function* membersOf(at: string, value: object): IteratorObject<Located, undefined> {
  for (const key of Object.keys(value)) {
    const below = Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`;
    if (key.includes(' ')) yield [below, key];
    yield [below, (value as JsonObject)[key]];
  }
}
