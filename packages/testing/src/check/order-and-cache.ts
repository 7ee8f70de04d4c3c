import { cacheScope, type JsonObject, methodOf } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { advised, failed, passed, type Probe, skipped } from './probe.ts';
import { resultOf, showValue } from './seen.ts';
import type { CheckSite, ServedList } from './site.ts';

/** How often each list is read: a list of two in random order comes out the same each time once in 16. */
const READS = 5;
/** A list may change between two readings, even to its last entry, but not all the time. */
const MAX_REPLACEMENTS = 1;

/** Check 4: lists keep their order, and what may be cached says for how long and for whom. */
export const orderAndCacheCheck: Check = {
  number: 4,
  name: 'order-and-cache',
  title: 'Deterministic order and deliberate cache hints',
  asks: 'A list comes in the same order each time and on each instance; every cacheable result has ttlMs of at least 0 and a cacheScope, the same scope on all pages.',
  spec: [
    'server/tools#capabilities',
    'server/utilities/caching#cacheable-results',
    'server/utilities/caching#interaction-with-pagination',
  ],
  async run(site) {
    const lists = await site.lists();
    const probes: Probe[] = [];
    for (const list of lists) {
      probes.push(await orderOf(site, list), ...scopeOf(list));
      if (list.isCut === true)
        probes.push(skipped(`the rest of ${list.member}`, `only the first ${list.pages.length} pages are read`));
    }
    if (lists.length === 0) probes.push(skipped('order', 'the server has no lists'));
    const pages = lists.flatMap((list) => list.pages);
    const read = (await site.called()).map(({ exchange }) => exchange);
    return [...probes, ...hintsOf([await site.discovery(), ...pages, ...read])];
  },
};

async function orderOf(site: CheckSite, list: ServedList): Promise<Probe> {
  const first = identities(list);
  const what = `order of ${list.member}`;
  if (list.pages.every((page) => resultOf(page) === undefined))
    return skipped(what, 'the list is not served, see check 1');
  if (list.problem !== undefined) return failed(what, list.problem, list.pages.at(-1));
  if (new Set(first).size < first.length) return failed(what, 'an entry stands twice', list.pages[0]);
  const readings = [first];
  const others = site.client.instances > 1 ? [2] : [];
  for (const instance of [...Array.from({ length: READS - 1 }, () => 1), ...others]) {
    const where = instance === 1 ? 'read again' : 'on the other instance';
    const label = `order: ${list.member}${instance === 1 ? '' : ` ${where}`}`;
    const again = await site.readList(label, list, instance);
    if (again.problem !== undefined) return failed(what, `${where}, ${again.problem}`, again.pages.at(-1));
    const wrong = readingProblem(identities(again), readings, instance);
    if (wrong !== undefined) return failed(what, `${where}, ${wrong}`, again.pages[0]);
    readings.push(identities(again));
  }
  if (readings.every((reading) => isSame(reading, first)))
    return passed(what, `${first.length} entries, the same in ${readings.length} readings`, list.pages[0]);
  return passed(what, 'entries came and went between readings; those that stayed kept their order', list.pages[0]);
}

/** The names of the entries of a list, as it was read once. */
type Reading = readonly string[];

/** What is wrong with a reading of a list after others, the first of which says the order. */
function readingProblem(now: Reading, readings: readonly Reading[], instance: number): string | undefined {
  const all = [...readings, now];
  const replacements = all.filter((reading, index) => index > 0 && isReplaced(all[index - 1] ?? [], reading)).length;
  if (replacements > MAX_REPLACEMENTS) return 'nothing is left of the reading before, once more';
  const [first = []] = readings;
  const kept = keep(now, first);
  if (!isSame(keep(first, now), kept)) return `the same ${kept.length} entries come in another order`;
  // A list may have changed before it was read there, as it did here.
  return instance === 1 || readings.some((reading) => isSame(reading, now)) ? undefined : 'there are other entries';
}

function isReplaced(before: Reading, now: Reading): boolean {
  return before.length + now.length > 0 && keep(now, before).length === 0;
}

function isSame(one: Reading, other: Reading): boolean {
  return one.join('\n') === other.join('\n');
}

/** What of a reading is in another one as well. */
function keep(reading: Reading, other: Reading): Reading {
  const keys = new Set(other);
  return reading.filter((key) => keys.has(key));
}

function identities({ method, entries }: ServedList): Reading {
  const member = methodOf(method)?.list?.key ?? 'name';
  return entries.map((entry) => {
    const key = entry[member];
    return typeof key === 'string' ? key : showValue(key);
  });
}

function scopeOf({ member, pages }: ServedList): readonly Probe[] {
  const scopes = new Set(pages.map((page) => resultOf(page)?.['cacheScope']));
  return scopes.size > 1
    ? [failed(`scope of ${member}`, `its pages have different scopes: ${[...scopes].join(', ')}`, pages[0])]
    : [];
}

function hintsOf(exchanges: readonly RawExchange[]): readonly Probe[] {
  const results = exchanges.flatMap((exchange) => {
    const result = resultOf(exchange);
    const isCacheable = methodOf(String(exchange.sent['method']))?.cacheable === true;
    return result !== undefined && isCacheable ? [{ exchange, result }] : [];
  });
  const wrong = results.flatMap(({ exchange, result }): Probe[] => {
    const problem = hintProblem(result);
    return problem === undefined ? [] : [failed(`hints of ${exchange.label}`, problem, exchange)];
  });
  if (wrong.length > 0) return wrong;
  if (results.length === 0) return [skipped('hints', 'there was no cacheable result')];
  const complete = results.filter(({ result }) => result['resultType'] !== 'input_required');
  const hints = new Set(complete.map(({ result }) => `${String(result['ttlMs'])} ms ${String(result['cacheScope'])}`));
  const seen = passed('hints', `${complete.length} cacheable results: ${[...hints].join(', ')}`);
  const isDefault = hints.size === 1 && hints.has('0 ms private');
  return isDefault
    ? [seen, advised('hints', 'all are 0 and private, which is what is sent where nobody chose')]
    : [seen];
}

function hintProblem(result: JsonObject): string | undefined {
  const { ttlMs, resultType } = result;
  if (resultType === 'input_required')
    return Object.hasOwn(result, 'ttlMs') ? 'a request for input is not cacheable, but has ttlMs' : undefined;
  if (!Number.isInteger(ttlMs) || (ttlMs as number) < 0)
    return `ttlMs is ${showValue(ttlMs)}, and must be an integer of at least 0`;
  return cacheScope(result['cacheScope']) === undefined
    ? undefined
    : `cacheScope is ${showValue(result['cacheScope'])}, and must be public or private`;
}
