import type { Client } from '@switchyard/client';
import { clientCredentials, createOAuthCredentials, workloadIdentity } from '@switchyard/client/authorization';
import { connect, createFileTokenStore } from '@switchyard/client/node';
import { readFile } from 'node:fs/promises';

/** Reaches a server as a service that has a key of its own; `issuer` is the authorization server that knows the key. */
export function reachWithKey(serverUrl: string, issuer: string, keyFile: string, folder: string): Promise<Client> {
  const grant = clientCredentials({
    issuer,
    clientId: 'nightly-report',
    // Asked for each token, so that a key that was exchanged is found: a file, a secret manager.
    privateKey: () => readFile(keyFile, 'utf8'),
  });
  const store = createFileTokenStore({ folder });
  return connect(serverUrl, { credentials: createOAuthCredentials({ serverUrl, grant, store }) });
}

/** Reaches a server as a workload of Kubernetes, which has no secret at all. */
export function reachAsWorkload(serverUrl: string, issuer: string, tokenFile: string): Promise<Client> {
  const grant = workloadIdentity({
    issuer,
    workload: 'nightly-report',
    assertion: () => readFile(tokenFile, 'utf8'),
  });
  return connect(serverUrl, { credentials: createOAuthCredentials({ serverUrl, grant }) });
}
