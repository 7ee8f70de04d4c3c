import { ClientError } from '@switchyard/client';

import type { DoctorSite } from './doctor-site.ts';
import { tellingLines } from './stderr-hints.ts';

const NAMED = /^MCP server "(?:[^"\\]|\\.)*": /;
const TAIL = /\nIts last lines on stderr:\n[^]*$/;

/** Answers what an error of the client says as evidence: its message, and each telling line of stderr by itself. */
export function clientEvidence(site: DoctorSite, error: Error): readonly string[] {
  const message = error.message.replace(TAIL, '').replace(NAMED, '');
  const lines = error instanceof ClientError ? (error.stderr?.split('\n') ?? []) : [];
  return [site.excerpt(message, 500), ...tellingLines(lines).map((line) => `stderr: ${site.excerpt(line)}`)];
}
