import { decodeBase64 } from '@switchyard/protocol';
import { base64url } from 'jose';

import type { HttpHead } from '../exchange/http-exchange.ts';
import { thumbprint } from './thumbprint.ts';

/**
 * Answers the SHA-256 thumbprint, in Base64url, of the certificate that the caller proved to a proxy in front;
 * `undefined` where there is none that can be read. Spec: RFC 8705 section 3.1.
 */
export type ReadClientCertificate = (head: HttpHead) => Promise<string | undefined>;

/** Longest header that a certificate is read from, in characters. */
const MAX_HEADER_CHARS = 8_192;

/**
 * How proxies write a certificate into a header:
 *
 * - `client-cert`: the DER bytes as a structured field (RFC 9440);
 * - `pem`: PEM, percent-encoded, as nginx (`$ssl_client_escaped_cert`) and load balancers write it;
 * - `xfcc`: `Hash`, or else `Cert`, of the one element of Envoy's `X-Forwarded-Client-Cert`.
 */
export type CertificateForm = 'client-cert' | 'pem' | 'xfcc';

/**
 * Reads the certificate of the caller from a header of a proxy that ends TLS. The proxy must be the only way to the
 * server, and must drop the header where a client sends it: everything hangs on that. A header that came twice holds no
 * certificate.
 */
export function clientCertificateFrom(header: string, form: CertificateForm): ReadClientCertificate {
  const key = header.toLowerCase();
  return async (head) => {
    const value = head.header(key);
    if (value === undefined || value.length > MAX_HEADER_CHARS) return undefined;
    if (form === 'xfcc') return readForwarded(value);
    const der = form === 'pem' ? decodePem(value) : decodeField(value);
    return der === undefined ? undefined : thumbprint(der);
  };
}

function decodeField(value: string): Uint8Array<ArrayBuffer> | undefined {
  const [, base64] = /^:([A-Za-z0-9+/]+=*):$/.exec(value.trim()) ?? [];
  return base64 === undefined ? undefined : decodeBase64(base64);
}

function decodePem(value: string): Uint8Array<ArrayBuffer> | undefined {
  let pem: string;
  try {
    pem = decodeURIComponent(value);
  } catch {
    return undefined;
  }
  const [, base64] = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(pem) ?? [];
  return base64 === undefined ? undefined : decodeBase64(base64.replace(/\s/g, ''));
}

const PAIR = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^"\\,;]*))/;
const ELEMENT = new RegExp(`^${PAIR.source}(?:; *${PAIR.source})*$`);

/**
 * Reads the one element. Each proxy on the way may add one; of several, none says which one the caller proved. So what
 * is not pairs from end to end is refused: an open quote could take a comma, and with it the proxy's own element, for a
 * part of what the caller wrote.
 */
async function readForwarded(value: string): Promise<string | undefined> {
  if (!ELEMENT.test(value)) return undefined;
  const pairs = [...value.matchAll(new RegExp(PAIR, 'g'))];
  const find = (name: string): string | undefined => {
    const [found, another] = pairs.filter(([, key]) => key?.toLowerCase() === name);
    return another === undefined ? (found?.[2] ?? found?.[3]) : undefined;
  };
  const hash = find('hash');
  if (hash !== undefined) return /^[0-9a-f]{64}$/i.test(hash) ? base64url.encode(bytesOfHex(hash)) : undefined;
  const certificate = find('cert');
  const der = certificate === undefined ? undefined : decodePem(certificate);
  return der === undefined ? undefined : thumbprint(der);
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
