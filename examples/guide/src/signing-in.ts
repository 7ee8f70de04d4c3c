import { createOAuthCredentials } from '@switchyard/client/authorization';
import {
  connect,
  createFileTokenStore,
  type LoopbackRedirectOptions,
  openLoopbackRedirect,
} from '@switchyard/client/node';

/** Lists the tools of a server that wants to know its user: the first time a browser opens, then the token is there. */
export async function listTools(
  serverUrl: string,
  folder: string,
  browser: LoopbackRedirectOptions = {},
): Promise<readonly string[]> {
  const redirect = await openLoopbackRedirect(browser);
  const credentials = createOAuthCredentials({
    serverUrl,
    redirect,
    clientName: 'Tool lister',
    store: createFileTokenStore({ folder }),
  });
  const client = await connect(serverUrl, { credentials });
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name }) => name);
  } finally {
    await client.close();
    await redirect.close();
  }
}
