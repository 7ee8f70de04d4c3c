import { assertKnownOptions, type JsonObject, type KnownOptions, present } from '@switchyard/protocol';

/** How a tool is linked to an app. Spec: MCP Apps, resource discovery. */
export interface ToolUi {
  /** The app that shows the results of the tool; absent for a tool that is there for an app alone. */
  readonly resourceUri?: string;
  /** Who may call the tool: the model, the app, or, unless stated, both. The host enforces it. */
  readonly visibility?: readonly ('model' | 'app')[];
}

const uiOptions: KnownOptions<ToolUi> = { resourceUri: true, visibility: true };

/**
 * Answers the metadata that link a tool to an app.
 *
 * @throws TypeError when the URI is not `ui:`, nobody may call the tool, a member is unknown, or its own metadata hold
 *   the key.
 */
export function toUiMeta(tool: string, ui: ToolUi, meta: JsonObject | undefined): JsonObject {
  assertKnownOptions(`tool ${tool}, ui`, ui, uiOptions);
  const { resourceUri, visibility } = ui;
  if (resourceUri !== undefined && !(typeof resourceUri === 'string' && resourceUri.startsWith('ui://')))
    throw new TypeError(`tool ${tool}: ui.resourceUri must begin with ui://, and be the URI of an app of this server`);
  if (
    visibility !== undefined &&
    !(Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => who === 'model' || who === 'app'))
  )
    throw new TypeError(`tool ${tool}: ui.visibility must name "model", "app", or both`);
  if (meta?.['ui'] !== undefined) throw new TypeError(`tool ${tool}: the meta key "ui" is made of \`ui\``);
  return { ...meta, ui: present({ resourceUri, visibility }) };
}
