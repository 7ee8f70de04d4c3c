import type { ExtensionId, JsonObject } from '@switchyard/protocol';

import type { Catalog, Definitions } from './catalog.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';

/** An extension as a server offers it. */
export interface ServerExtension {
  readonly id: ExtensionId;
  /** Answers the settings that discovery shows, or `undefined` where the definitions make no use of the extension. */
  settingsFor(definitions: Definitions): JsonObject | undefined;
  /** Whether it stays offered when the last definition that made use of it is removed. */
  readonly stays?: true;
  /** @throws TypeError when definitions break a rule of the extension; called when an endpoint is made of them. */
  assertServable?(catalog: Catalog): void;
  /** Makes the handlers of its methods for one endpoint. */
  createHandlers?(site: ExtensionSite): Endpoint['handlers'];
}

/** What handlers of extensions are made of. */
export interface ExtensionSite {
  /** The definitions as they are now. */
  catalog(): Catalog;
  /** What serves the methods of tasks. */
  readonly taskMethods: Endpoint['handlers'];
}
