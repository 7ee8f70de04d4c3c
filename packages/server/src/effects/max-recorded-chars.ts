/** Largest result that is recorded as JSON, in characters: what a store keeps of one record, less what quoting may add. */
export const MAX_RECORDED_CHARS = 500_000;
