import { extensions } from '@switchyard/protocol';

import { derived } from '../definition/derived.ts';
import type { ServerExtension } from '../catalog/server-extension.ts';
import { createSkillCatalog } from './skill-catalog.ts';
import { createSkillMethods } from './skill-methods.ts';

/** Skills: instructions that a model reads when it needs them. Spec: SEP-2640. */
export const skillsExtension: ServerExtension = {
  id: extensions.skills,
  settingsFor: ({ resources }) =>
    [...resources.values()].some(({ skill }) => skill !== undefined) ? { directoryRead: true } : undefined,
  createHandlers: ({ catalog }) => createSkillMethods(derived(catalog, createSkillCatalog)),
};
