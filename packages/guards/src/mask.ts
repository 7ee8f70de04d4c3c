/** What stands in place of a credential. */
export const MASK = '[redacted]';

/** The same within a regular expression. */
export const MASK_SOURCE = MASK.replace(/[[\]]/g, String.raw`\$&`);
