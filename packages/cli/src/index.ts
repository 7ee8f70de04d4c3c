export { exitCodes } from './failure.ts';
export { run } from './run.ts';
export type { Output, Surroundings } from './surroundings.ts';
