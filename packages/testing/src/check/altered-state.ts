import { errorCodes } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { noAsking } from './no-asking.ts';
import { advised, failed, passed, type Probe, skipped } from './probe.ts';
import { answersTo, ask, MAX_ROUNDS, nameOfSubject, retry } from './rounds.ts';
import { asksForInput, describeAnswer, errorOf, resultOf } from './seen.ts';
import type { Called, CheckSite } from './site.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The last two digits of base64 that is not for URLs. */
const STANDARD = '+/';
/** Of a base64url character the highest bit is always part of the bytes, at the end of a part of the text, too. */
const HIGHEST_BIT = 32;
/** Such a change leaves a letter a letter, so that a state that is only encrypted may still be read. */
const LOWEST_BIT = 1;
const PLACES = 16;
/** The value in a character of the lowest bit of the byte that ends in it, by its offset; 0 where none does. */
const BASE64_LOW_BITS: readonly number[] = [0, 16, 4, 1];
const HEX_LOW_BITS: readonly number[] = [0, 1];
const CUT_CHARS = 8;
/** Of a longer state, as many bytes are altered, at even distances. */
const MAX_BYTES = 128;
/** Base64 of either alphabet, the digits of hex included. */
const ENCODED = /[\w+/-]+/g;
/** Long enough not to be base64 that looks like it. */
const HEX = /^(?:[\da-f]{2}){8,}$/i;

/** Has a retry sent with an altered state, and judges what came. */
type ProbeState = (what: string, altered: string) => Promise<readonly Probe[]>;

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
    const probe: ProbeState = async (what, altered) => {
      const exchange = await retry(site.client, `${label}: ${what}`, subject, asked, {
        answers: answersTo(asked, site.calls.answers),
        state: altered,
        progressToken: 'altered',
      });
      return verdictOn(what, exchange);
    };
    const probes: Probe[] = [];
    for (const [what, altered] of alterationsOf(state)) probes.push(...(await probe(what, altered)));
    return [...probes, ...(await byteProbes(state, probe))];
  },
};

/**
 * The lowest bit of one byte after the other: state that is only encrypted, by a stream, can be read with another digit
 * or letter in it. Said in one line, unless one of them goes through.
 */
async function byteProbes(state: string, probe: ProbeState): Promise<readonly Probe[]> {
  const flips = byteFlipsOf(state);
  const probes: Probe[] = [];
  for (const [index, altered] of flips.entries()) {
    const found = await probe(`the low bit of byte ${index + 1}`, altered);
    if (found.some(({ verdict }) => verdict === 'failed')) return found;
    probes.push(...found);
  }
  const [first] = probes;
  if (first === undefined) return [];
  const advice = probes.find(({ verdict }) => verdict === 'advised');
  return [
    { ...first, what: `the low bit of each of ${flips.length} bytes` },
    ...(advice === undefined ? [] : [advice]),
  ];
}

/** The text with the lowest bit of one byte changed: of each byte that base64 or hex in it stands for, at most 128. */
function byteFlipsOf(state: string): readonly string[] {
  const bits = [...state.matchAll(ENCODED)].flatMap(({ 0: part, index }) => {
    const lowBits = HEX.test(part) ? HEX_LOW_BITS : BASE64_LOW_BITS;
    return Array.from(part, (_, offset) => ({ at: index + offset, bit: lowBits[offset % lowBits.length] ?? 0 }));
  });
  const low = bits.filter(({ bit }) => bit > 0);
  const count = Math.min(low.length, MAX_BYTES);
  return Array.from({ length: count }, (_, index) => low[Math.floor((index * low.length) / count)])
    .filter((place) => place !== undefined)
    .map(({ at, bit }) => flipCharacter(state, at, bit));
}

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
  const character = state[at] ?? '';
  const index = STANDARD.includes(character) ? 62 + STANDARD.indexOf(character) : ALPHABET.indexOf(character);
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
