import type { RawExchange } from '../raw/raw-client.ts';

/**
 * How one probe went. `skipped` could not be applied, `advised` found a SHOULD of the specification that the server
 * does not follow; neither fails a check.
 */
export type ProbeVerdict = 'passed' | 'failed' | 'skipped' | 'advised';

/** One thing that a check looked at. */
export interface Probe {
  readonly what: string;
  readonly verdict: ProbeVerdict;
  /** What was seen, in one line; it may repeat text of the server. */
  readonly evidence: string;
  /** True where it was skipped because the transport has no such thing, so that nothing could ever be looked at. */
  readonly isForeign?: true;
  /** The messages that show it. */
  readonly exchange?: RawExchange;
}

/** A probe that found what the specification asks for. */
export function passed(what: string, evidence: string, exchange?: RawExchange): Probe {
  return { what, verdict: 'passed', evidence, ...(exchange === undefined ? {} : { exchange }) };
}

/** A probe that found something else. */
export function failed(what: string, evidence: string, exchange?: RawExchange): Probe {
  return { what, verdict: 'failed', evidence, ...(exchange === undefined ? {} : { exchange }) };
}

/** A probe that could not be applied, and why. */
export function skipped(what: string, evidence: string): Probe {
  return { what, verdict: 'skipped', evidence };
}

/** A probe of what the transport does not have. */
export function foreign(what: string, evidence: string): Probe {
  return { what, verdict: 'skipped', evidence, isForeign: true };
}

/** A probe that found a SHOULD that is not followed. */
export function advised(what: string, evidence: string, exchange?: RawExchange): Probe {
  return { what, verdict: 'advised', evidence, ...(exchange === undefined ? {} : { exchange }) };
}

/** Answers a probe that passed when nothing is wrong, and else failed with what is. */
export function judge(what: string, wrong: string | undefined, right: string, exchange?: RawExchange): Probe {
  return wrong === undefined ? passed(what, right, exchange) : failed(what, wrong, exchange);
}
