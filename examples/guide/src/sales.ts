import { createServer, type Server, type ServerOptions } from '@switchyard/server';

/** A server whose lists change while it is served. Instances that are given one `bus` tell each other's listeners. */
export interface Sales {
  readonly server: Server;
  /** Offers an item: there is a tool more. */
  offer(item: string, price: number): void;
  /** Ends an offer: the tool is gone, and calls that run end as they would. */
  end(item: string): void;
  /** Changes a price: the resource holds something else. */
  reprice(item: string, price: number): void;
}

/** Makes it. */
export function createSales(options: Pick<ServerOptions, 'bus'> = {}): Sales {
  const prices = new Map<string, number>();
  const server = createServer({ name: 'sales', version: '1.0.0' }, options);
  server.resource('sales://prices', { name: 'Prices', mimeType: 'application/json' }, () =>
    JSON.stringify(Object.fromEntries(prices)),
  );
  return {
    server,
    offer(item, price) {
      prices.set(item, price);
      server.tool(`buy_${item}`, { description: `Buys ${item}` }, () => `Bought for ${prices.get(item)} euro`);
    },
    end(item) {
      prices.delete(item);
      server.removeTool(`buy_${item}`);
    },
    reprice(item, price) {
      prices.set(item, price);
      server.resourceUpdated('sales://prices');
    },
  };
}
