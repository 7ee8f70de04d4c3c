export { isValueDeeperThan as isDeeperThan } from '@switchyard/protocol';

/** The deepest JSON value that the host takes from a caller or a server: levels of arrays and objects. */
export const MAX_JSON_DEPTH = 256;
