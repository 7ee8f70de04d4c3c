import { errorCodes } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { noAsking } from './no-asking.ts';
import { advised, failed, passed, type Probe, skipped } from './probe.ts';
import { answersTo, ask, MAX_ROUNDS, nameOfSubject, retry } from './rounds.ts';
import { asksForInput, describeAnswer, errorOf, resultOf } from './seen.ts';
import type { Called, CheckSite } from './site.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Of a base64url character the highest bit is always part of the bytes, at the end of a part of the text, too. */
const HIGHEST_BIT = 32;
/** Such a change leaves a letter a letter, so that a state that is only encrypted may still be read. */
const LOWEST_BIT = 1;
const PLACES = 16;
const CUT_CHARS = 8;

/** Check 8: state that was altered goes no further than its verification. */
export const alteredStateCheck: Check = {
  number: 8,
  name: 'altered-state',
  title: 'Altered state is refused before any logic',
  asks: 'State comes back from an attacker: a server protects its integrity and refuses what fails verification, before anything of the request happens.',
  spec: ['basic/patterns/mrtr#server-requirements-basic-workflow', 'basic/patterns/mrtr#security-considerations'],
  async run(site) {
    const asking = await site.asking();
    if (asking === undefined) return [skipped('altered state', await noAsking(site))];
    const { subject } = asking;
    const label = `altered state: ${nameOfSubject(subject)}`;
    const asked = await firstWithState(site, asking, label);
    const state = asked === undefined ? undefined : resultOf(asked)?.['requestState'];
    if (asked === undefined || typeof state !== 'string')
      return [skipped('altered state', 'no request for input carries a state')];
    const probes: Probe[] = [];
    for (const [what, altered] of alterationsOf(state)) {
      const exchange = await retry(site.client, `${label}: ${what}`, subject, asked, {
        answers: answersTo(asked, site.calls.answers),
        state: altered,
        progressToken: 'altered',
      });
      probes.push(...verdictOn(what, exchange));
    }
    return probes;
  },
};

/** Goes on from round to round until one carries a state. */
async function firstWithState(
  { client, calls }: CheckSite,
  { subject }: Called,
  label: string,
): Promise<RawExchange | undefined> {
  let asked = await ask(client, label, subject);
  for (let round = 1; round <= MAX_ROUNDS && asksForInput(asked); round += 1) {
    const state = resultOf(asked)?.['requestState'];
    if (typeof state === 'string' && state !== '') return asked;
    asked = await retry(client, `${label}: retry ${round}`, subject, asked, {
      answers: answersTo(asked, calls.answers),
    });
  }
  return undefined;
}

/** Alterations of a text, each by name; every one means other bytes. */
function alterationsOf(state: string): readonly (readonly [string, string])[] {
  const places = { first: 0, middle: Math.floor(state.length / 2), last: state.length - 1 };
  const flips = Object.entries(places).map(([place, at]) => [`${place} character`, flipCharacter(state, at)] as const);
  // Every part must be covered: those in between may be the ones that nobody signed.
  const between = Array.from({ length: PLACES }, (_, index) => index + 1).map((index) => {
    const at = Math.floor((state.length * index) / (PLACES + 1));
    const isLastOfPart = !ALPHABET.includes(state[at + 1] ?? '.');
    const flipped = flipCharacter(state, at, isLastOfPart ? HIGHEST_BIT : LOWEST_BIT);
    return [`one bit ${index}/${PLACES + 1} into it`, flipped] as const;
  });
  return [
    ...flips,
    ...between,
    // Of a shorter one nothing would be left, and a request without a state is asked anew.
    ...(state.length > CUT_CHARS ? [['last eight characters cut off', state.slice(0, -CUT_CHARS)] as const] : []),
    ['another text in its place', 'bm90LXRoZS1zdGF0ZQ'],
  ];
}

/**
 * Answers the text with the character at a place replaced by another one of the same kind, that differs in a bit of
 * base64url.
 */
function flipCharacter(state: string, at: number, bit = HIGHEST_BIT): string {
  const index = ALPHABET.indexOf(state[at] ?? '');
  const other = index < 0 ? 'A' : (ALPHABET[index ^ bit] ?? 'A');
  return `${state.slice(0, at)}${other}${state.slice(at + 1)}`;
}

function verdictOn(what: string, exchange: RawExchange): readonly Probe[] {
  if (errorOf(exchange) === undefined)
    return [failed(what, `it was not refused: ${describeAnswer(exchange)}`, exchange)];
  const before = exchange.received.filter(
    (message) => Object.hasOwn(message, 'method') && !Object.hasOwn(message, 'id'),
  );
  if (before.length > 0)
    return [failed(what, `${before.length} messages came before the error, so something ran`, exchange)];
  const { code } = errorCodes.invalidParams;
  const isInvalid = errorOf(exchange)?.['code'] === code;
  return [
    passed(what, describeAnswer(exchange), exchange),
    ...(isInvalid
      ? []
      : [advised(what, `${describeAnswer(exchange)}; ${code} is the code of invalid parameters`, exchange)]),
  ];
}
