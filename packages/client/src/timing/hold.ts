/**
 * Runs work that a person may take his time for, such as signing in: no time limit of what waits for it comes nearer
 * while it lasts. Answers what the work comes to, and rejects as it does. Several may run at a time.
 */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;
