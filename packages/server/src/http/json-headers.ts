import type { HttpHeaders } from '../exchange/http-exchange.ts';

/** The headers of a response that is one JSON text. */
export const jsonHeaders: HttpHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };
