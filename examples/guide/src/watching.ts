import { type Client, connect, createResponseCache, type Subscription } from '@switchyard/client';

/** One cache for every client of this program; what is private in it stays with whom it was given to. */
const cache = createResponseCache({ maxEntries: 5_000, maxBytes: 64 * 1024 * 1024 });

/** Reaches a shop whose lists are fetched once, and again only when they are stale. */
export function reachShop(url: string): Promise<Client> {
  return connect(url, { name: 'shop', cache });
}

/** Shows the names of the tools, now and whenever they change. The caller closes the subscription. */
export async function showTools(client: Client, show: (names: readonly string[]) => void): Promise<Subscription> {
  const showNow = async (): Promise<void> => {
    // Rather an hour old than nothing, while the shop is away.
    const { tools } = await client.listTools({ staleOnErrorMs: 3_600_000 });
    show(tools.map(({ name }) => name));
  };
  // First the subscription: what changes before it is open is told to nobody.
  const subscription = await client.subscribe({ toolsListChanged: true }, { onListChanged: showNow });
  await showNow();
  return subscription;
}
