import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { whileQueued } from '../src/node/while-queued.ts';

/** Two responses that wait for their turn on one connection. */
function openQueue(connection: Socket): { readonly responses: readonly ServerResponse[]; readonly ended: number[] } {
  const ended: number[] = [];
  const responses = [0, 1].map((place) => {
    const response = new ServerResponse(new IncomingMessage(connection));
    whileQueued(connection, response, () => ended.push(place));
    return response;
  });
  return { responses, ended };
}

describe('a response that waits for its turn', () => {
  it('ends with its connection, and not once its turn has come', () => {
    const connection = new Socket();
    const { responses, ended } = openQueue(connection);
    responses[0]?.emit('socket', connection);
    connection.emit('close');
    expect([ended, responses.map(({ destroyed }) => destroyed)]).toEqual([[1], [false, true]]);
  });

  it('ends at once where its connection has ended before it was handed over', () => {
    const { responses, ended } = openQueue(new Socket().destroy());
    expect([ended, responses.map(({ destroyed }) => destroyed)]).toEqual([
      [0, 1],
      [true, true],
    ]);
  });
});
