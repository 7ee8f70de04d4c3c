export { type CleanTextOptions, cleanText } from './clean-text.ts';
export type { CredentialKind } from './credential-patterns.ts';
export { createLineRedactor } from './line-redactor.ts';
export { MASK } from './mask.ts';
export { findLiteralCredential, findSecrets, type FoundCredential, redactSecrets } from './redact.ts';
export { redactedExcerpt } from './redacted-excerpt.ts';
export { type Secrecy, secrecyOf } from './secret-name.ts';
