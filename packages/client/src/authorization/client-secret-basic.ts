import type { ClientAuth } from 'oauth4webapi';
import { encodeBasic } from '../http/basic-credentials.ts';

/**
 * Answers the authentication by a secret in a Basic `Authorization` header. Both parts are form-encoded, and no more of
 * them than that asks for: some authorization servers compare what they get as it is, which is the same for all clients
 * whose id and secret are letters, digits and `-._*`.
 *
 * Spec: RFC 6749 section 2.3.1.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set('authorization', `Basic ${encodeBasic(encode(client.client_id), encode(secret))}`);
  };
}

function encode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
