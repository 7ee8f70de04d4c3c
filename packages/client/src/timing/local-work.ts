/**
 * Runs work of this side that follows the answer of the server, such as keeping it, and whose name is `what`. Limits go
 * on; where one passes meanwhile, the error names the work and not the server. Answers what the work comes to, and
 * rejects as it does. One piece of work at a time.
 */
export type LocalWork = <T>(what: string, work: () => Promise<T>) => Promise<T>;
