import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { serveHttp, metadataToNode } from '@switchyard/server/node';
import { metadataToFetch, protectedResource, type ProtectedResourceOptions } from '@switchyard/server/authorization';
import { describe, expect, it, onTestFinished } from 'vitest';

import { openNodeRoute } from '../http-route.ts';
import { createScoped, resourceOf } from './open-protected.ts';

const issuer = 'https://as.kiln.test';
const options: ProtectedResourceOptions = { resource: 'https://mcp.kiln.test/v1/mcp', authorizationServers: [issuer] };

describe('the metadata of a protected resource', () => {
  it.each([
    '/.well-known/oauth-protected-resource/v1/mcp',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource?x=1',
  ])('[AUTHRS-02] [AUTHRS-03] [auth-04] is served at %s, to every origin, without a token', async (path) => {
    const resource = resourceOf(issuer, {
      resource: options.resource,
      name: 'Kiln',
      documentationUrl: 'https://kiln.test/docs',
    });
    const { call } = await openNodeRoute(createScoped([]), {
      authenticate: () => undefined,
      protectedResource: resource,
    });
    const answer = await call({ method: 'GET', path, headers: { origin: 'https://app.kiln.test' } });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    });
    expect(JSON.parse(answer.text)).toEqual({
      resource: 'https://mcp.kiln.test/v1/mcp',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['orders:read'],
      resource_name: 'Kiln',
      resource_documentation: 'https://kiln.test/docs',
      dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
    });
    const head = await call({ method: 'HEAD', path });
    expect(head).toMatchObject({ status: 200, text: '' });
    const asked = await call({
      method: 'OPTIONS',
      path,
      headers: { origin: 'https://app.kiln.test', 'access-control-request-headers': 'mcp-protocol-version' },
    });
    expect(asked).toMatchObject({ status: 204, headers: { 'access-control-allow-headers': '*' } });
    expect((await call({ method: 'POST', path, body: '{}' })).status).toBe(405);
  });

  it('is at no other path, and nowhere without a protected resource', async () => {
    const { call } = await openNodeRoute(createScoped([]), {
      authenticate: () => undefined,
      protectedResource: resourceOf(issuer),
    });
    for (const path of ['/.well-known/oauth-protected-resource/other', '/.well-known/oauth-protected-resource/', '/x'])
      expect((await call({ method: 'GET', path })).status).toBe(404);
    const bare = await openNodeRoute(createScoped([]));
    expect((await bare.call({ method: 'GET', path: '/.well-known/oauth-protected-resource' })).status).toBe(404);
  });

  it('is not served under a foreign host, which may be a rebound name', async () => {
    const events: unknown[] = [];
    const { call } = await openNodeRoute(createScoped([]), {
      authenticate: () => undefined,
      protectedResource: resourceOf(issuer),
      onSecurityEvent: (event) => events.push(event),
    });
    const path = '/.well-known/oauth-protected-resource/mcp';
    expect((await call({ method: 'GET', path, headers: { host: 'evil.test' } })).status).toBe(403);
    expect(events).toEqual([{ type: 'forbidden', method: 'GET', status: 403, reason: 'host-or-origin' }]);
  });

  it('is served on a fetch runtime and on node:http wherever it is mounted', async () => {
    const resource = resourceOf(issuer);
    const response = metadataToFetch(resource)(new Request(resource.metadataUrl));
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual(resource.metadata);
    expect(metadataToFetch(resource)(new Request(resource.metadataUrl, { method: 'PUT' })).status).toBe(405);
    const http = createHttpServer(metadataToNode(resource));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => void http.close(() => resolve())));
    const fetched = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/any`, {
      headers: { connection: 'close' },
    });
    expect(await fetched.json()).toEqual(resource.metadata);
  });

  it.each<[Partial<ProtectedResourceOptions>, object]>([
    [{ dpop: 'required' }, { dpop_bound_access_tokens_required: true }],
    [{ clientCertificate: () => Promise.resolve(undefined) }, { tls_client_certificate_bound_access_tokens: true }],
  ])('tells of bonds: %j', (more, members) => {
    expect(resourceOf(issuer, more).metadata).toMatchObject(members);
  });

  it('tells nothing of DPoP where it is off, and no scopes where none are named', () => {
    expect(protectedResource({ ...options, dpop: 'off' }).metadata).toEqual({
      resource: options.resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
  });
});

describe('protectedResource', () => {
  it.each([
    ['https://mcp.kiln.test', 'https://mcp.kiln.test/.well-known/oauth-protected-resource'],
    ['https://mcp.kiln.test/', 'https://mcp.kiln.test/.well-known/oauth-protected-resource'],
    ['https://MCP.kiln.test:443/x/', 'https://mcp.kiln.test/.well-known/oauth-protected-resource/x/'],
    ['https://mcp.kiln.test:8443/a?b=c', 'https://mcp.kiln.test:8443/.well-known/oauth-protected-resource/a?b=c'],
  ])('[AUTHRS-23] [auth-06] keeps %s as it is written, and has its metadata at %s', (resource, metadataUrl) => {
    const made = protectedResource({ ...options, resource });
    expect(made.metadata['resource']).toBe(resource);
    expect(made.metadataUrl).toBe(metadataUrl);
  });

  it.each<[string, Partial<ProtectedResourceOptions>]>([
    ['a resource without scheme', { resource: 'mcp.kiln.test' }],
    ['a resource with fragment', { resource: 'https://mcp.kiln.test#x' }],
    ['a resource with a user', { resource: 'https://me:pw@mcp.kiln.test' }],
    ['a resource without TLS', { resource: 'http://mcp.kiln.test' }],
    ['no authorization server', { authorizationServers: [] }],
    ['an authorization server without TLS', { authorizationServers: ['http://as.kiln.test'] }],
    ['a scope with a space', { scopesSupported: ['a b'] }],
    ['a scope with a quote', { challengeScopes: ['a"b'] }],
    ['an implied scope that is none', { implies: { a: [''] } }],
  ])('[AUTHRS-21] refuses %s', (_name, more) => {
    expect(() => protectedResource({ ...options, ...more })).toThrow(TypeError);
  });

  it.each<Partial<ProtectedResourceOptions>>([
    { scopesSupported: ['orders:read', 'offline_access'] },
    { challengeScopes: ['offline_access'] },
    { implies: { 'orders:read': ['offline_access'] } },
  ])('[AUTHRS-15] refuses offline_access: %j', (more) => {
    expect(() => protectedResource({ ...options, ...more })).toThrow('offline_access');
  });

  it('takes HTTP on a loopback host', () => {
    for (const resource of ['http://127.0.0.1:3000/mcp', 'http://localhost:3000', 'http://[::1]:3000/mcp'])
      expect(protectedResource({ ...options, resource }).resource).toBe(resource);
  });

  it('is refused beside no authentication, which it would promise', async () => {
    await expect(serveHttp(createScoped([]), { port: 0, protectedResource: resourceOf(issuer) })).rejects.toThrow(
      'pass both',
    );
  });
});
