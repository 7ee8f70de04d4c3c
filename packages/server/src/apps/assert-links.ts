import type { Catalog } from '../catalog/catalog.ts';
import type { ToolUi } from '../definition/tool-ui.ts';
import { APP_MIME_TYPE } from './app-resource.ts';

/**
 * Refuses tools whose app the server does not have.
 *
 * Spec: MCP Apps, resource discovery.
 *
 * @throws TypeError that names the tool and the URI.
 */
export function assertLinks({ tools, resources, orderedTemplates }: Catalog): void {
  for (const [name, { listed }] of tools) {
    const { resourceUri } = (listed._meta?.['ui'] ?? {}) as ToolUi;
    if (resourceUri === undefined) continue;
    const mimeType =
      resources.get(resourceUri)?.listed.mimeType ??
      orderedTemplates.find(({ template }) => template.match(resourceUri) !== undefined)?.listed.mimeType;
    if (mimeType !== APP_MIME_TYPE)
      throw new TypeError(
        `tool ${name}: its app ${resourceUri} is ${mimeType === undefined ? 'no resource of the server' : `a resource of the type ${mimeType}`}; define it with server.ui`,
      );
  }
}
