import { describe, expect, it } from 'vitest';
import type { DiagnoseOptions } from '../../src/index.ts';
import { answering, type Answer, discovery, greeting, openBadServer, saying } from './bad-server.ts';
import { type Expected, expectCause } from './expect-cause.ts';

const call: DiagnoseOptions = { tool: { name: 'look', arguments: {} } };
const html = { 'content-type': 'text/html; charset=utf-8' };
const page = (title: string, body = ''): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
const challenge = (value: string): Answer => saying(401, { 'www-authenticate': value }, 'No.');
const never: Answer = () => undefined;

/** Refuses a call alone. */
function callGets(status: number, headers: { readonly [name: string]: string }, body: string): Answer {
  const rest = answering({});
  return (request, http) =>
    request.method === 'tools/call' ? saying(status, headers, body)(request, http) : rest(request, http);
}

const causes: [
  what: string,
  answer: Answer,
  expected: Expected,
  options?: DiagnoseOptions & { readonly token?: string },
][] = [
  [
    'a redirect',
    saying(308, { location: 'https://mcp.example.com/mcp?session=abc' }),
    {
      step: 'endpoint',
      saw: /redirects to https:\/\/mcp\.example\.com\/mcp, and clients follow no redirect/,
      evidence: /^location: https:\/\/mcp\.example\.com\/mcp$/,
      fix: /Use the URL where it leads/,
    },
  ],
  [
    'a redirect to a page to sign in on',
    saying(302, { location: '/login?next=/mcp' }),
    {
      step: 'endpoint',
      saw: /redirects to a page to sign in on/,
      evidence: /^HTTP 302$/,
      fix: /wants a browser session/,
    },
  ],
  [
    'a page to sign in on',
    saying(200, html, page('Sign in', '<input type="password">')),
    {
      step: 'endpoint',
      saw: /A page to sign in on/,
      evidence: /^content-type: text\/html/,
      fix: /wants a browser session/,
    },
  ],
  [
    'the page of a web server that takes no POST',
    saying(
      501,
      { ...html, server: 'SimpleHTTP/0.6 Python/3.12' },
      page('Error response', "<p>Error code: 501</p><p>Message: Unsupported method ('POST').</p>"),
    ),
    {
      step: 'endpoint',
      saw: /web server that takes no POST/,
      evidence: /^server: SimpleHTTP/,
      fix: /URL of the MCP endpoint/,
    },
  ],
  [
    'a page that speaks of proxies and of signing in',
    saying(200, html, page('Notes', 'How I set up nginx. <a href="/in">Sign in</a>')),
    { step: 'endpoint', saw: /A web page answers/, evidence: /^HTTP 200$/, fix: /ends in \/mcp/ },
  ],
  [
    'a page of a program that fails',
    saying(500, html, page('Internal Server Error')),
    { step: 'endpoint', saw: /fails with HTTP 500/, evidence: /^HTTP 500$/, fix: /log of the server/ },
  ],
  [
    'a refusal in JSON that is no message of the protocol',
    saying(403, { 'content-type': 'application/json' }, '{"error":"API key required"}'),
    {
      step: 'authentication',
      saw: /without credentials may not have/,
      evidence: /API key required/,
      fix: /x-api-key/,
    },
  ],
  [
    'the error page of a proxy',
    saying(502, { ...html, server: 'nginx/1.27' }, page('502 Bad Gateway', '<center>nginx</center>')),
    {
      step: 'endpoint',
      saw: /The error page of a proxy/,
      evidence: /^server: nginx\/1\.27$/,
      fix: /behind the proxy runs/,
    },
  ],
  [
    'another web page',
    saying(200, html, page('Welcome')),
    { step: 'endpoint', saw: /A web page answers/, evidence: /^body: .*Welcome/, fix: /ends in \/mcp/ },
  ],
  [
    'another service that speaks JSON',
    saying(200, { 'content-type': 'application/json' }, '{"status":"up"}'),
    {
      step: 'endpoint',
      saw: /no MCP server/,
      evidence: /^body: \{"status":"up"\}$/,
      fix: /another service may have this address/,
    },
  ],
  [
    'a firewall with a page of its own',
    saying(403, { ...html, server: 'cloudflare' }, page('Attention Required!', 'You have been blocked')),
    {
      step: 'endpoint',
      saw: /firewall or a proxy refuses/,
      evidence: /You have been blocked/,
      fix: /let MCP clients through/,
    },
  ],
  [
    'an answer under another id',
    (_request, { response }) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: '1', result: discovery })),
    {
      step: 'handshake',
      saw: /under another id/,
      evidence: /^the id of the answer: "1"$/,
      fix: /a number stays a number/,
    },
  ],
  [
    'an answer to discovery alone under another id',
    ({ method, id }, { response }) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            method === 'server/discover'
              ? { jsonrpc: '2.0', id: '1', result: discovery }
              : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } },
          ),
        ),
    {
      step: 'handshake',
      saw: /under another id/,
      evidence: /^the id of the answer: "1"$/,
      fix: /a number stays a number/,
    },
  ],
  [
    'a discovery that is none',
    answering({ 'server/discover': { result: { ...discovery, capabilities: [] } } }),
    {
      step: 'handshake',
      saw: /no greeting of any revision/,
      evidence: /^server\/discover: .*"capabilities":\[\]/,
      fix: /Have server\/discover answer supportedVersions and capabilities/,
    },
  ],
  [
    'a request that is too large for somebody',
    saying(413, {}, 'Too large'),
    {
      step: 'endpoint',
      saw: /too large for something on the way/,
      evidence: /^HTTP 413$/,
      fix: /client_max_body_size/,
    },
  ],
  [
    'a server that has had enough',
    saying(429, { 'retry-after': '17' }, ''),
    { step: 'endpoint', saw: /too many requests/, evidence: /^retry-after: 17$/, fix: /Retry-After: 17/ },
  ],
  [
    'a server that fails',
    saying(500, {}, 'Internal Server Error'),
    {
      step: 'endpoint',
      saw: /fails with HTTP 500/,
      evidence: /^body: Internal Server Error$/,
      fix: /log of the server/,
    },
  ],
  [
    'an answer that is compressed',
    saying(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'x'),
    {
      step: 'endpoint',
      saw: /compressed, though that was not asked for/,
      evidence: /^content-encoding: gzip$/,
      fix: /gzip off/,
    },
  ],
  [
    'an empty answer',
    saying(202, {}),
    { step: 'endpoint', saw: /HTTP 202 and nothing else/, evidence: /^HTTP 202$/, fix: /URL of the MCP endpoint/ },
  ],
  [
    'credentials that are wanted, and were not sent',
    challenge('Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"'),
    {
      step: 'authentication',
      saw: /no credentials were sent/,
      evidence: /^www-authenticate: Bearer/,
      fix: /^Log in: switchyard login http:\/\/127\.0\.0\.1:\d+\/mcp\n/,
    },
  ],
  [
    'a key that is wanted',
    saying(401, {}, '{"message":"No API key found in request"}'),
    { step: 'authentication', saw: /no credentials were sent/, evidence: /No API key found/, fix: /x-api-key/ },
  ],
  [
    'a token that is none',
    challenge('Bearer error="invalid_token", error_description="Unknown"'),
    {
      step: 'authentication',
      saw: /does not take the token/,
      evidence: /invalid_token/,
      fix: /not revoked.*switchyard login/,
    },
    { token: 'whatever-it-may-be' },
  ],
  [
    'a token that has expired',
    challenge('Bearer error="invalid_token", error_description="The access token expired"'),
    {
      step: 'authentication',
      saw: /token has expired/,
      evidence: /The access token expired/,
      fix: /Get a new one\. Log in: switchyard login/,
    },
    { token: 'whatever-it-may-be' },
  ],
  [
    'a scope that is missing from the start',
    saying(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="beds:read"' }),
    {
      step: 'authentication',
      saw: /The token lacks the scope beds:read/,
      evidence: /^HTTP 403/,
      fix: /--scope 'beds:read'/,
    },
    { token: 'whatever-it-may-be' },
  ],
  [
    'a host that is not allowed',
    saying(403, {}, 'Invalid Host header: 127.0.0.1'),
    {
      step: 'authentication',
      saw: /refuses the host or the origin/,
      evidence: /Invalid Host header/,
      fix: /allow the host 127\.0\.0\.1:\d+/,
    },
  ],
  [
    'silence',
    never,
    {
      step: 'handshake',
      saw: /It is silent/,
      evidence: /^server\/discover: nothing came within 300 ms$/,
      fix: /a proxy holds the answer back/,
    },
    { timeoutMs: 300 },
  ],
  [
    'a scope that a call needs',
    callGets(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="beds:write"' }, ''),
    {
      step: 'permission',
      saw: /lacks the scope beds:write/,
      evidence: /^HTTP 403 to the call of look$/,
      fix: /--scope 'beds:write'/,
    },
    { ...call, token: 'whatever-it-may-be' },
  ],
  [
    'a call that needs somebody',
    callGets(401, { 'www-authenticate': 'Bearer' }, ''),
    {
      step: 'permission',
      saw: /no credentials were sent/,
      evidence: /^HTTP 401 to the call of look$/,
      fix: /switchyard login/,
    },
    call,
  ],
  [
    'a call that this person may not make',
    callGets(403, {}, 'Only nurses may look.'),
    {
      step: 'permission',
      saw: /may not have the call of look/,
      evidence: /Only nurses may look/,
      fix: /Ask whoever runs the server/,
    },
    call,
  ],
  [
    'a proxy that gave up waiting',
    callGets(504, html, page('504 Gateway Time-out')),
    {
      step: 'downstream',
      saw: /A proxy gave up waiting for the call \(HTTP 504\)/,
      evidence: /HTTP 504/,
      fix: /proxy_read_timeout/,
    },
    call,
  ],
  [
    'a call that fails on the way',
    callGets(500, {}, 'worker died'),
    { step: 'result', saw: /The call got HTTP 500/, evidence: /worker died/, fix: /log of the server/ },
    call,
  ],
  [
    'a server that does not know its own session',
    ({ method }, { request, response }) => {
      if (method === 'server/discover') return { error: { code: -32601, message: 'no' } };
      if (method === 'initialize') return (response.setHeader('mcp-session-id', 'bed-17'), { result: greeting });
      return saying(404, {}, 'Session not found')({ method, id: 1, params: {} }, { request, response });
    },
    {
      step: 'session',
      saw: /does not know the session that it just gave out/,
      evidence: /ping with it: HTTP 404, Session not found/,
      fix: /balancer/,
    },
  ],
  [
    'a list that wants to know who asks',
    refusingTheList(401, { 'www-authenticate': 'Bearer' }),
    {
      step: 'tool',
      saw: /wants to know who calls, and no credentials were sent/,
      evidence: /^HTTP 401 to tools\/list$/,
      fix: /Log in/,
    },
  ],
  [
    'a list that was asked for too often',
    refusingTheList(429, { 'retry-after': '600' }),
    { step: 'tool', saw: /too many requests/, evidence: /429/, fix: /Wait, and try again/ },
  ],
  [
    'a list that somebody may not read',
    answering({ 'tools/list': { error: { code: -32603, message: 'catalog is locked' } } }),
    { step: 'tool', saw: /cannot be read/, evidence: /catalog is locked/, fix: /Mend tools\/list/ },
  ],
];

/** A server whose discovery is open to all, and whose list of tools is not. */
function refusingTheList(status: number, headers: { readonly [name: string]: string }): Answer {
  return (request, http) => (request.method === 'tools/list' ? saying(status, headers) : answering({}))(request, http);
}

describe('the cause over HTTP', () => {
  it.each(causes)('is told of %s', async (_what, answer, expected, { token, ...options } = {}) => {
    const url = await openBadServer(answer);
    const headers: { [name: string]: string } = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const diagnosis = await expectCause({ url, headers }, options, expected);
    if (token !== undefined) expect(JSON.stringify(diagnosis)).not.toContain(token);
  });

  it('shows no credential that the server says back', async () => {
    const secret = 'very-secret-token-of-mira';
    const url = await openBadServer(
      saying(500, {}, `bad token ${secret.slice(0, 9)}\u200b${secret.slice(9)} and ${encodeURIComponent(secret)}`),
    );
    const diagnosis = await expectCause(
      { url, headers: { authorization: `Bearer ${secret}` } },
      {},
      { step: 'endpoint', saw: /HTTP 500/, evidence: /^body: bad token/, fix: /./ },
    );
    expect(JSON.stringify(diagnosis)).not.toContain(secret);
  });
});
