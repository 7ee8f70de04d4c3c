import { randomBytes } from 'node:crypto';

import { createServer } from '@switchyard/server';
import { type ApiKey, apiKeys, hashApiKey } from '@switchyard/server/authorization';
import { type RunningServer, serveHttp } from '@switchyard/server/node';

// No handler asks for input, so there is no request state, and no key for it is needed.
const notes = createServer({ name: 'notes', version: '1.0.0' }, { state: false });
notes.tool('list_notes', { description: 'My notes' }, (_args, { principal }) => [`a note of ${principal?.subject}`]);

/** Makes a key for somebody: `key` is shown to them once, `stored` is what the server keeps. */
export async function createKey(subject: string): Promise<{ readonly key: string; readonly stored: ApiKey }> {
  const key = randomBytes(32).toString('base64url');
  return { key, stored: { digest: await hashApiKey(key), principal: { subject } } };
}

/** Serves whoever has a key, on every address of the machine. */
export function serveNotes(port: number, keys: readonly ApiKey[]): Promise<RunningServer> {
  return serveHttp(notes, {
    port,
    host: '0.0.0.0',
    // The name in the URL that callers use. Under any other name the answer is 403.
    allowedHosts: ['mcp.example.com'],
    authenticate: apiKeys({ keys }),
  });
}
