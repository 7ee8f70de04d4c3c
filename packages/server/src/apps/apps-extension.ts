import { extensions } from '@switchyard/protocol';

import type { ServerExtension } from '../catalog/server-extension.ts';
import { APP_MIME_TYPE } from './app-resource.ts';
import { assertLinks } from './assert-links.ts';

/** Apps: pages that hosts show beside the results of tools. Spec: extensions/apps/overview. */
export const appsExtension: ServerExtension = {
  id: extensions.apps,
  settingsFor: ({ resources }) =>
    [...resources.values()].some(({ listed }) => listed.mimeType === APP_MIME_TYPE)
      ? { mimeTypes: [APP_MIME_TYPE] }
      : undefined,
  assertServable: assertLinks,
};
