import { modernErrorCodes } from '@switchyard/protocol';
import { expect, it } from 'vitest';
import { meetOverHttp } from '../../src/doctor/contact.ts';
import type { Heard } from '../../src/doctor/heard.ts';
import type { HttpPeer } from '../../src/doctor/http-peer.ts';

function peerThatAnswers(refusal: object): { readonly peer: HttpPeer; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const heard: Heard = {
    status: 400,
    text: '',
    elapsedMs: 1,
    header: () => undefined,
    response: { jsonrpc: '2.0', id: 1, error: refusal },
  };
  const peer: HttpPeer = {
    url: 'http://depot.test/mcp',
    hasCredentials: () => false,
    ask(request) {
      asked.push(request.message?.['method']);
      return Promise.resolve(heard);
    },
    watch: () => Promise.reject(new Error('nothing is to be watched')),
    close: () => Promise.resolve(),
  };
  return { peer, asked };
}

it.each([...modernErrorCodes])('takes who answers %i for a modern server, and greets it no other way', async (code) => {
  const { peer, asked } = peerThatAnswers({ code, message: 'no' });
  expect((await meetOverHttp(peer)).era).toBe('modern');
  expect(asked).toEqual(['server/discover']);
});

it('takes who answers a code of every revision for no modern server', async () => {
  const { peer, asked } = peerThatAnswers({ code: -32601, message: 'no' });
  expect((await meetOverHttp(peer)).era).toBeUndefined();
  expect(asked).toEqual(['server/discover', 'initialize']);
});
