import { errorCodes, type JsonObject } from '@switchyard/protocol';

import type { DoctorSite } from './doctor-site.ts';
import { messageOf } from './heard.ts';

/** What to do about a proxy that drops headers of the protocol. */
export const headersFix =
  'Have the proxy before the server pass Mcp-Method, Mcp-Name, Mcp-Param-* and MCP-Protocol-Version on as they ' +
  'are: look at its list of allowed headers.';

/** Whether an error says that headers and body of a request do not agree. */
export function isMismatch(error: JsonObject | undefined): boolean {
  return error?.['code'] === errorCodes.headerMismatch.code;
}

/** Answers such an error as evidence. */
export function showMismatch(site: DoctorSite, error: JsonObject | undefined, status: number | undefined): string {
  const http = status === undefined ? '' : `HTTP ${status}, `;
  return `${http}error ${errorCodes.headerMismatch.code}: ${site.excerpt(messageOf(error))}`;
}
