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
  let changes = 0;
  let replacements = 0;
  let before = new Set(first);
  const others = site.client.instances > 1 ? [2] : [];
  for (const instance of [...Array.from({ length: READS - 1 }, () => 1), ...others]) {
    const again = await site.readList(
      `order: ${list.member}${instance === 1 ? '' : ' on the other instance'}`,
      list,
      instance,
    );
    if (again.problem !== undefined)
      return failed(
        what,
        `${instance === 1 ? 'read again' : 'on the other instance'}, ${again.problem}`,
        again.pages.at(-1),
      );
    const now = identities(again);
    if (now.length + before.size > 0 && !now.some((key) => before.has(key))) replacements += 1;
    before = new Set(now);
    if (replacements > MAX_REPLACEMENTS)
      return failed(what, 'read again, nothing is left of the reading before, once more', again.pages[0]);
    if (now.join('\n') === first.join('\n')) continue;
    const where = instance === 1 ? 'read again' : 'on the other instance';
    const present = new Set(now);
    const shared = new Set(first.filter((key) => present.has(key)));
    const isReordered =
      first.filter((key) => shared.has(key)).join('\n') !== now.filter((key) => shared.has(key)).join('\n');
    if (isReordered)
      return failed(what, `${where}, the same ${shared.size} entries come in another order`, again.pages[0]);
    if (instance !== 1) return failed(what, 'the other instance has other entries', again.pages[0]);
    changes += 1;
  }
  if (changes > 0)
    return passed(what, `entries came and went between readings; those that stayed kept their order`, list.pages[0]);
  return passed(what, `${first.length} entries, the same in ${READS + others.length} readings`, list.pages[0]);
}

function identities({ method, entries }: ServedList): readonly string[] {
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
