import { bearerJwt, type CertificateForm, clientCertificateFrom } from '@switchyard/server/authorization';
import { describe, expect, it } from 'vitest';

import { certificates } from './certificates.ts';
import { type AuthorizationServerFixture, clients, openAuthorizationServer } from './open-authorization-server.ts';
import { openProtected, principalOf, type Protected, resourceOf } from './open-protected.ts';

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
}

async function thumbprintOf(pem: string): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(derOf(pem))));
}

const write: { readonly [form in CertificateForm]: (pem: string) => string } = {
  'client-cert': (pem) => `:${derOf(pem).toString('base64')}:`,
  pem: (pem) => encodeURIComponent(pem),
  xfcc: (pem) => `By=spiffe://kiln/mcp;Subject="CN=a;b, c\\"d";Cert="${encodeURIComponent(pem)}"`,
};

async function open(
  form: CertificateForm | undefined,
): Promise<Protected & { readonly server: AuthorizationServerFixture; readonly token: string }> {
  const server = await openAuthorizationServer();
  const more = form === undefined ? {} : { clientCertificate: clientCertificateFrom('X-Client-Cert', form) };
  const opened = await openProtected(bearerJwt(resourceOf(server.issuer, more)));
  const token = await server.machineToken({ client: clients.bound, certificate: certificates.mira });
  return { ...opened, server, token };
}

describe.each(['client-cert', 'pem', 'xfcc'] as const)(
  'a token that is bound to a certificate, which a proxy writes as %s',
  (form) => {
    it('is taken with its own certificate', async () => {
      const { call, token } = await open(form);
      const answer = await call({ authorization: `Bearer ${token}`, 'x-client-cert': write[form](certificates.mira) });
      expect(principalOf(answer)).toMatchObject({ subject: clients.bound });
    });

    it.each<[string, (own: string) => string | undefined]>([
      ['no certificate', () => undefined],
      ['another one', () => write[form](certificates.eve)],
      ['two headers', (own) => `${own}, ${own}`],
      ['another one in front', (own) => `${write[form](certificates.eve)}, ${own}`],
      ['what is no certificate', () => 'x'],
      ['an encoding that is broken', () => '%E0%A4%A'],
      ['an empty header', () => ''],
    ])('is refused with %s', async (_name, header) => {
      const { call, token, events } = await open(form);
      const answer = await call({
        authorization: `Bearer ${token}`,
        'x-client-cert': header(write[form](certificates.mira)),
      });
      expect(answer.status).toBe(401);
      expect(events).toMatchObject([
        { type: 'unauthenticated', reason: 'certificate-mismatch', subject: clients.bound },
      ]);
    });
  },
);

describe('a token that is bound to a certificate', () => {
  it('is taken by the hash alone that Envoy passes, and not when that stands twice', async () => {
    const { call, token } = await open('xfcc');
    const hash = (await thumbprintOf(certificates.mira)).toString('hex');
    const other = (await thumbprintOf(certificates.eve)).toString('hex');
    const status = async (header: string): Promise<number> =>
      (await call({ authorization: `Bearer ${token}`, 'x-client-cert': header })).status;
    expect(await status(`By=x;Hash=${hash};URI=spiffe://kiln/mira`)).toBe(200);
    expect(await status(`hash=${hash.toUpperCase()}`)).toBe(200);
    expect(await status(`Hash=${other};Hash=${hash}`)).toBe(401);
    expect(await status(`Hash=${hash};Hash=${other}`)).toBe(401);
    expect(await status(`Hash=${hash.slice(2)}`)).toBe(401);
    expect(await status(`Subject="x;Hash=${hash}"`)).toBe(401);
  });

  it.each([
    'X="',
    'X="a\\',
    'Subject="CN=mira',
    '"',
    'X=a"b',
    'X="a"b',
    'X="a" b',
    'X=a\\',
    '\\',
    'X=\\"',
    'Cert="x";junk',
    'junk',
    '=x',
    '',
  ])('is refused where the header is not pairs alone from end to end, as with %j in it', async (own) => {
    const { call, token } = await open('xfcc');
    const hash = (await thumbprintOf(certificates.mira)).toString('hex');
    const proxied = `By=spiffe://kiln/mcp;Hash=${(await thumbprintOf(certificates.eve)).toString('hex')};Subject="CN=eve"`;
    for (const header of [`Hash=${hash};${own}`, `${own};Hash=${hash}`, `Hash=${hash};${own},${proxied}`])
      expect((await call({ authorization: `Bearer ${token}`, 'x-client-cert': header })).status).toBe(401);
  });

  it('is refused with a header longer than 8,192 characters, which would be right otherwise', async () => {
    const { call, token } = await open('xfcc');
    const header = (length: number): string => `${write.xfcc(certificates.mira)};Pad=`.padEnd(length, 'x');
    const status = async (length: number): Promise<number> =>
      (await call({ authorization: `Bearer ${token}`, 'x-client-cert': header(length) })).status;
    expect(await status(8_192)).toBe(200);
    expect(await status(8_193)).toBe(401);
  });

  it('is refused where nobody looks at certificates, whatever header the caller sends', async () => {
    const { call, token, events } = await open(undefined);
    for (const form of ['client-cert', 'pem', 'xfcc'] as const) {
      const header = write[form](certificates.mira);
      const headers = { 'client-cert': header, 'x-client-cert': header, 'x-forwarded-client-cert': header };
      expect((await call({ authorization: `Bearer ${token}`, ...headers })).status).toBe(401);
    }
    expect(new Set(events.map(({ reason }) => reason))).toEqual(new Set(['unknown-bond']));
  });
});
