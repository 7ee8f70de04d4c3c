import { createServer, type Logger, type Server, silentLogger } from '@switchyard/server';
import * as z from 'zod';

/** A server with one of each. */
export function createShop(logger: Logger = silentLogger): Server {
  return createServer({ name: 'shop', version: '1.0.0' }, { logger, createReference: () => 'ref-1' })
    .tool('sell', { input: z.object({ item: z.string() }) }, ({ item }) => ({ sold: item }))
    .tool('scrap', {}, () => 'scrapped')
    .resource('shop://hours', { name: 'Hours' }, () => 'nine to five')
    .resourceTemplate('shop://items/{item}', { name: 'Item', complete: { item: () => ['tea'] } }, () => 'an item')
    .prompt('pitch', { args: { item: 'The item' } }, ({ item }) => `Buy ${item}`);
}
