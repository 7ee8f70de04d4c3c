import { boolean, jsonObject, object, record, type Shaped } from '../shape.ts';

/** What a client can do for this one request. An open set. Spec: schema#clientcapabilities (2026-07-28). */
export const clientCapabilities = object(
  {},
  {
    experimental: jsonObject,
    roots: jsonObject,
    sampling: object({}, { context: jsonObject, tools: jsonObject }),
    elicitation: object({}, { form: jsonObject, url: jsonObject }),
    extensions: record(jsonObject),
  },
);
/** See {@link clientCapabilities}. */
export type ClientCapabilities = Shaped<typeof clientCapabilities>;

/** What a server offers. An open set. Spec: schema#servercapabilities (2026-07-28). */
export const serverCapabilities = object(
  {},
  {
    experimental: jsonObject,
    logging: jsonObject,
    completions: jsonObject,
    prompts: object({}, { listChanged: boolean }),
    resources: object({}, { subscribe: boolean, listChanged: boolean }),
    tools: object({}, { listChanged: boolean }),
    extensions: jsonObject,
  },
);
/** See {@link serverCapabilities}. */
export type ServerCapabilities = Shaped<typeof serverCapabilities>;

/** A family of methods that a server serves only when it advertises the capability. */
export type ServerCapability = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging';

/** A capability that a definition may require of the caller. */
export type ClientCapability = 'roots' | 'sampling' | 'elicitation';
