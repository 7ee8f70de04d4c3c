import { array, object, oneOf, type Shaped, string } from '../shape.ts';

/** An icon of an implementation, tool, resource or prompt. `src` is untrusted. Spec: basic/index#icons (2026-07-28). */
export const icon = object({ src: string }, { mimeType: string, sizes: array(string), theme: oneOf('light', 'dark') });
/** See {@link icon}. */
export type Icon = Shaped<typeof icon>;

/** Name and version of a client or a server, as it reports itself. Spec: schema#implementation (2026-07-28). */
export const implementation = object(
  { name: string, version: string },
  { title: string, description: string, websiteUrl: string, icons: array(icon) },
);
/** See {@link implementation}. */
export type Implementation = Shaped<typeof implementation>;
