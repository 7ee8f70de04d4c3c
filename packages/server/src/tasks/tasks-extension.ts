import { extensions } from '@switchyard/protocol';

import type { ServerExtension } from '../catalog/server-extension.ts';

/** Tasks: a call that outlives its request. Spec: SEP-2663. */
export const tasksExtension: ServerExtension = {
  id: extensions.tasks,
  settingsFor: ({ tools }) => ([...tools.values()].some(({ task }) => task !== undefined) ? {} : undefined),
  // Tasks outlive the tool that made them.
  stays: true,
  createHandlers: ({ taskMethods }) => taskMethods,
};
