import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** An authority made for a test, with what it signed. */
export interface Authority {
  readonly ca: string;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

/** Whether certificates can be made here. */
export const canMakeCertificates = hasOpenssl();

/** Makes an authority, a certificate for `localhost` and 127.0.0.1, and one for a client, valid for a day. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-tls-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    openssl('req', '-x509', ...newKey, '-days', '1', '-subj', '/CN=Test CA', '-keyout', 'ca.key', '-out', 'ca.pem');
    const sign = (name: string, extensions: string): KeyPair => {
      writeFileSync(at(`${name}.ext`), extensions);
      openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
      return { cert: readFileSync(at(`${name}.pem`), 'utf8'), key: readFileSync(at(`${name}.key`), 'utf8') };
    };
    return {
      ca: readFileSync(at('ca.pem'), 'utf8'),
      server: sign('server', 'subjectAltName=DNS:localhost,IP:127.0.0.1'),
      client: sign('client', 'extendedKeyUsage=clientAuth'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
