import { appsExtension } from '../apps/apps-extension.ts';
import { skillsExtension } from '../skills/skills-extension.ts';
import { tasksExtension } from '../tasks/tasks-extension.ts';
import type { Definitions, OfferedExtensions } from '../catalog/catalog.ts';
import type { ServerExtension } from '../catalog/server-extension.ts';

/**
 * The extensions that a server can offer, in the order in which discovery shows them: another one is an entry here and
 * a folder of its own.
 */
export const serverExtensions: readonly ServerExtension[] = [tasksExtension, skillsExtension, appsExtension];

/** Answers what is offered with these definitions; `before` is what was with those that they replace. */
export function offeredExtensions(definitions: Definitions, before: OfferedExtensions): OfferedExtensions {
  return Object.fromEntries(
    serverExtensions.flatMap(({ id, settingsFor, stays }) => {
      const settings = settingsFor(definitions) ?? (stays === true ? before[id] : undefined);
      return settings === undefined ? [] : [[id, settings]];
    }),
  );
}
