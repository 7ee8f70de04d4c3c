import { connectionFailure } from '@switchyard/client';
import { expect, it } from 'vitest';
import { connectionTrouble } from '../../src/doctor/connection-trouble.ts';

it.each([
  ['ENOTFOUND', /name of the host/, /Correct the host/],
  ['EAI_AGAIN', /name of the host/, /VPN/],
  ['ECONNREFUSED', /Nothing listens/, /Start the server/],
  ['UND_ERR_CONNECT_TIMEOUT', /does not answer/, /firewall/],
  ['EHOSTUNREACH', /does not answer/, /HTTPS_PROXY/],
  ['CERT_HAS_EXPIRED', /has expired/, /clock of this machine/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /nobody whom this machine trusts/, /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /nobody whom/, /intermediate certificate/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host/, /host name that the certificate has/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/, /http:\/\//],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /No TLS connection/, /old version of TLS/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /No TLS connection/, /certificate of the client/],
  ['ENOENT', /no socket at that path/, /permissions/],
])('says what the code %s means, and what to do', (code, saw, fix) => {
  const inner = Object.assign(new Error('it failed'), { code, ...(code === 'ENOENT' ? { syscall: 'connect' } : {}) });
  const found = connectionFailure(new TypeError('fetch failed', { cause: new AggregateError([inner], 'all failed') }));
  // TLS may break later, too; then nobody knows whether something was sent.
  expect(found).toEqual({ wasNeverMade: !code.startsWith('ERR_SSL_'), code, message: 'it failed' });
  const trouble = connectionTrouble(code);
  expect(trouble?.saw).toMatch(saw);
  expect(trouble?.fix).toMatch(fix);
});

it('knows nothing of a connection that broke, which was made', () => {
  expect(connectionFailure(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })).wasNeverMade).toBe(
    false,
  );
  expect(connectionTrouble('ECONNRESET')).toBeUndefined();
  expect(connectionFailure('thrown by hand')).toEqual({ wasNeverMade: false, code: '', message: 'thrown by hand' });
});
