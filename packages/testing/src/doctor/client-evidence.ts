import { ClientError } from '@switchyard/client';

import type { DoctorSite } from './doctor-site.ts';
import { tellingLines } from './stderr-hints.ts';

/** Answers what an error of the client says as evidence: its message, and each telling line of stderr by itself. */
export function clientEvidence(site: DoctorSite, error: Error): readonly string[] {
  if (!(error instanceof ClientError)) return [site.excerpt(error.message, 500)];
  const lines = error.stderr?.split('\n') ?? [];
  return [site.excerpt(error.reason, 500), ...tellingLines(lines).map((line) => `stderr: ${site.excerpt(line)}`)];
}
