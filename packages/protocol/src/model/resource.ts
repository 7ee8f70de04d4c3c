import { array, jsonObject, number, object, type Shaped, string } from '../shape.ts';
import { annotations } from './content.ts';
import { icon } from './implementation.ts';

const described = {
  title: string,
  description: string,
  mimeType: string,
  annotations,
  icons: array(icon),
  _meta: jsonObject,
};

/** A resource as it is listed. `size` is in bytes. Spec: schema#resource (2026-07-28). */
export const resource = object({ uri: string, name: string }, { ...described, size: number });
/** See {@link resource}. */
export type Resource = Shaped<typeof resource>;

/** A family of resources under an RFC 6570 template. Spec: schema#resourcetemplate (2026-07-28). */
export const resourceTemplate = object({ uriTemplate: string, name: string }, described);
/** See {@link resourceTemplate}. */
export type ResourceTemplate = Shaped<typeof resourceTemplate>;
