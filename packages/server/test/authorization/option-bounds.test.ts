import { describe, expect, it } from 'vitest';

import {
  bearerJwt,
  type BearerJwtOptions,
  createDpopNonces,
  createReplaySet,
  createRevocations,
  createTokenExchange,
  introspection,
  protectedResource,
} from '../../src/authorization/index.ts';

const issuer = 'https://auth.example.com';
const resource = protectedResource({ resource: 'https://mcp.example.com/mcp', authorizationServers: [issuer] });
const client = { clientId: 'mcp', clientSecret: 'secret' };

describe('an option of authorization that is out of range', () => {
  it.each<[keyof BearerJwtOptions, BearerJwtOptions]>([
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['maxResponseBytes', { maxResponseBytes: 0 }],
    ['keysMaxAgeMs', { keysMaxAgeMs: -1 }],
    ['keysCooldownMs', { keysCooldownMs: Number.NaN }],
    ['maxTokenChars', { maxTokenChars: 0 }],
  ])('is refused by bearerJwt when it is made: %s in %j', (name, options) => {
    expect(() => bearerJwt(resource, options)).toThrow(new RegExp(`^${name} must be`));
  });

  it.each([
    ['maxPending', () => introspection(resource, { client, maxPending: 0 })],
    ['timeoutMs', () => introspection(resource, { client, timeoutMs: -1 })],
    ['maxCached', () => createTokenExchange({ issuer, client, maxCached: 0 })],
    ['maxEntries', () => createReplaySet({ maxEntries: 0 })],
    ['maxEntries', () => createRevocations({ maxEntries: Number.NaN })],
    ['clockToleranceMs', () => createRevocations({ clockToleranceMs: 300_001 })],
    ['periodMs', () => createDpopNonces({ periodMs: 0 })],
  ])('is refused when it is made: %s', (name, make) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^${name} must be`));
  });
});
