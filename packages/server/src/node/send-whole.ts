import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpHeaders } from '../exchange/http-exchange.ts';
import { dropBody } from './drop-body.ts';

/** Answers a request whose body nobody reads with a whole response. */
export function sendWhole(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: { readonly status: number; readonly headers: HttpHeaders; readonly body: string },
): void {
  dropBody(request, response);
  response.writeHead(status, body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
