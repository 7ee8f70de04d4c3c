import { readFile } from 'node:fs/promises';
import { type Client, ClientError } from '@switchyard/client';
import { connect, headersFromCommand } from '@switchyard/client/node';

/** Reaches a server behind a corporate proxy with a certificate of our own. */
export async function reachDepot(url: string, folder: string): Promise<Client> {
  const read = (name: string): Promise<string> => readFile(`${folder}/${name}`, 'utf8');
  return connect(url, {
    name: 'depot',
    proxy: 'environment',
    tls: { ca: await read('ca.pem'), cert: await read('client.pem'), key: await read('client.key') },
  });
}

/** Reaches a server whose token a program prints, as `{"authorization": "Bearer …"}`. */
export function reachWithToken(url: string, command: string, args: readonly string[]): Promise<Client> {
  return connect(url, { name: 'depot', headers: headersFromCommand({ command, args }) });
}

/** Pays, and says what is known of it where no answer comes. */
export async function pay(client: Client, order: string): Promise<string> {
  try {
    await client.callTool('pay', { order });
    return 'paid';
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    // The server may have the money: look there before you pay again.
    return error.mayHaveRun ? 'look whether it was paid' : `not paid: ${error.code}`;
  }
}
