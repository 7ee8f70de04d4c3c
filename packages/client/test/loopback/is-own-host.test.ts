import { describe, expect, it } from 'vitest';
import { isOwnHost } from '../../src/node/is-own-host.ts';

describe('isOwnHost', () => {
  it.each([
    ['127.0.0.1:4711', 4711, true],
    ['localhost:4711', 4711, true],
    ['127.0.0.1', 80, true],
    ['localhost', 80, true],
    ['127.0.0.1:80', 80, true],
    ['127.0.0.1', 4711, false],
    ['127.0.0.1:4712', 4711, false],
    ['evil.example', 80, false],
    ['evil.example:4711', 4711, false],
    ['127.0.0.1.evil.example', 80, false],
    [undefined, 80, false],
  ])('of the host %j of a request to port %d is %j', (host, port, isOwn) => {
    expect(isOwnHost(host, port)).toBe(isOwn);
  });

  it.each([80, 8080])('takes what a browser sends for an address with port %d', (port) => {
    expect(isOwnHost(new URL(`http://127.0.0.1:${port}/callback`).host, port)).toBe(true);
  });
});
