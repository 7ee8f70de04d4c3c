import { type Authenticated, type Authenticate, createServer, silentLogger } from '@switchyard/server';
import { protectedResource } from '@switchyard/server/authorization';
import { describe, expect, it } from 'vitest';

import { type HttpAnswer, messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { callOf } from '../wire.ts';

const resource = protectedResource({
  resource: 'https://mcp.kiln.test/mcp',
  authorizationServers: ['https://as.kiln.test'],
});

/** Serves a tool that tries to raise its caller, one that takes a scope, and one that says who calls. */
async function open(authenticate: Authenticate, isProtected: boolean): Promise<(tool: string) => Promise<HttpAnswer>> {
  const server = createServer({ name: 'raise', version: '1.0.0' }, { logger: silentLogger })
    .tool('raise', {}, (_args, { principal }) => {
      const writable = principal as { subject: string; scopes: string[] };
      expect(() => writable.scopes.push('admin')).toThrow(TypeError);
      expect(() => (writable.subject = 'root')).toThrow(TypeError);
      return 'tried';
    })
    .tool('administer', { scopes: ['admin'] }, () => 'administered')
    .tool('who', {}, (_args, { principal }) => ({ subject: principal?.subject, scopes: principal?.scopes }));
  const route = await openNodeRoute(server, {
    authenticate,
    ...(isProtected ? { protectedResource: resource } : {}),
  });
  return (tool) => route.call(postOf(callOf(tool)));
}

describe.each([
  ['a protected resource', true],
  ['no protected resource', false],
])('a principal of an author’s own hook, with %s', (_case, isProtected) => {
  it('is not changed by a handler, for the next caller either', async () => {
    const shared = { subject: 'ada', scopes: ['read'] };
    const call = await open(() => shared, isProtected);
    expect((await call('raise')).text).toContain('tried');
    expect((await call('administer')).status).toBe(403);
    expect(shared).toEqual({ subject: 'ada', scopes: ['read'] });
  });

  it('may be of a class', async () => {
    class Account {
      get subject(): string {
        return 'ada';
      }
      get scopes(): string[] {
        return ['admin'];
      }
    }
    const call = await open(() => new Account(), isProtected);
    expect((await call('administer')).status).toBe(200);
    expect(messageOf(await call('who')).result).toMatchObject({
      structuredContent: { subject: 'ada', scopes: ['admin'] },
    });
  });

  it('is refused when its scopes are one text, which would hold every scope that is a part of it', async () => {
    const call = await open(() => ({ subject: 'ada', scopes: 'administer' }) as unknown as Authenticated, isProtected);
    expect((await call('administer')).status).toBe(500);
    expect((await call('who')).status).toBe(500);
  });

  it('is refused when its end is no time, since nothing of it would end then', async () => {
    const call = await open(
      () => ({ subject: 'ada', expiresAtMs: 'tomorrow' }) as unknown as Authenticated,
      isProtected,
    );
    expect((await call('who')).status).toBe(500);
  });
});
