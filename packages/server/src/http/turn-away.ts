import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import type { LogRefusal } from './refusal-log.ts';
import { refuse } from './refuse.ts';

/** Refuses a request before anybody read what it asks for, and logs that. */
export type TurnAway = (exchange: HttpExchange, status: number, problem: string, headers?: HttpHeaders) => 'answered';

export function createTurnAway(logRefusal: LogRefusal): TurnAway {
  return (exchange, status, problem, headers) => {
    logRefusal(exchange.head, status, problem);
    refuse(exchange, status, problem, headers);
    return 'answered';
  };
}
