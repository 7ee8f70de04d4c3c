export { exitCodes } from './failure.ts';
export { run } from './run.ts';
export type { Output, Person, Surroundings } from './surroundings.ts';
