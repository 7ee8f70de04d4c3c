/**
 * How many requirements the specification has in each area, numbered from 01. Here alone it is said; the ledger is held
 * against it.
 */
const areas: { readonly [area: string]: number } = {
  MSG: 42,
  META: 22,
  DISC: 11,
  VER: 18,
  STDIO: 24,
  HTTP: 36,
  HDR: 46,
  CAN: 19,
  PROG: 11,
  MRTR: 31,
  SUB: 21,
  TOOL: 44,
  RES: 19,
  PRM: 13,
  COMP: 16,
  PAG: 8,
  CACHE: 21,
  LOG: 12,
  ELI: 46,
  SAM: 25,
  ROOT: 14,
  JSCH: 12,
  ICON: 11,
  AUTHRS: 23,
  AUTHCL: 30,
  AUTHDI: 11,
  AUTHRG: 21,
  TASK: 52,
  EXT: 18,
  LEGS: 32,
  LEGC: 20,
  LEGB: 7,
};

/** Answers the ids of all requirements, in the order of the ledger. */
export function requirementIds(): readonly string[] {
  return Object.entries(areas).flatMap(([area, count]) =>
    Array.from({ length: count }, (_, index) => `${area}-${String(index + 1).padStart(2, '0')}`),
  );
}
