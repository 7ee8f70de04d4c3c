/** A duration for a person: milliseconds, from ten seconds on in seconds. */
export function toMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
