import {
  assertKnownOptions,
  assertText,
  type ClientCapabilities,
  clip,
  extensions,
  type JsonObject,
  type KnownOptions,
  present,
} from '@switchyard/protocol';

import {
  type CompiledResource,
  compileResource,
  type ResourceDefinition,
  resourceOptions,
} from '../definition/resource.ts';
import type { RequestContext } from '../handler/request-context.ts';

/** The MIME type of a page that hosts show as an app. Spec: extensions/apps/overview. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * The origins that an app may use, each like `https://cdn.example.com` or `https://*.example.com`; those that are not
 * named are blocked by the host, and without any it uses none. Spec: MCP Apps, UI resource format.
 */
export interface AppOrigins {
  /** For requests: fetch, XHR, WebSocket. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For frames in the app. */
  readonly frameDomains?: readonly string[];
  /** For the base URI of the page. */
  readonly baseUriDomains?: readonly string[];
}

/** What of the browser an app may ask its host for; the host may refuse. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';

/** How an app is described. Spec: MCP Apps, UI resource format. */
export interface AppDefinition extends Omit<ResourceDefinition, 'mimeType' | 'maxReadBytes' | 'handlerVersion'> {
  /** The origins that the app may use. Default: none. */
  readonly csp?: AppOrigins;
  /** What of the browser the app asks its host for. Default: nothing. */
  readonly permissions?: readonly AppPermission[];
  /** The origin that the host shows the app under, in the form that the host asks for. Default: the host's choice. */
  readonly domain?: string;
  /** Whether the host draws a border around the app. Default: the host's choice. */
  readonly prefersBorder?: boolean;
}

const { mimeType: _type, maxReadBytes: _bytes, handlerVersion: _version, ...described } = resourceOptions;
const appOptions: KnownOptions<AppDefinition> = {
  ...described,
  csp: true,
  permissions: true,
  domain: true,
  prefersBorder: true,
};

/** The page of an app: an HTML5 document, or what makes one for each read. */
export type AppPage = string | ((context: RequestContext) => string | Promise<string>);

/**
 * Compiles an app: a resource that a tool links to with `ui: { resourceUri }`, and a host shows beside the result of
 * that tool. What it may use stands both in the list, where a host reviews it, and in what is read, which counts.
 *
 * Spec: extensions/apps/overview, MCP Apps (extension `io.modelcontextprotocol/ui`).
 *
 * @throws TypeError when the URI is not `ui:`, the definition has a member that it does not know, an origin is none, or
 *   a permission is unknown, the page is neither a text nor a function, or something has another type, besides what a
 *   resource refuses.
 */
export function compileApp(uri: string, definition: AppDefinition, page: AppPage): CompiledResource {
  assertText('app: the URI, which comes first,', uri);
  assertKnownOptions(`app ${clip(uri, 256)}`, definition, appOptions);
  const { csp, permissions, domain, prefersBorder, meta, ...described } = definition;
  if (!uri.startsWith('ui://')) throw new TypeError(`app ${clip(uri, 256)}: the URI must begin with ui://`);
  if (meta?.['ui'] !== undefined)
    throw new TypeError(`app ${uri}: the meta key "ui" is made of csp, permissions, domain and prefersBorder`);
  if (typeof page !== 'string' && typeof page !== 'function')
    throw new TypeError(`app ${uri}: the page, which comes last, must be a text or a function that answers one`);
  if (csp !== undefined) assertOrigins(uri, csp);
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean')
    throw new TypeError(`app ${uri}: prefersBorder must be true or false`);
  if (domain !== undefined && !(typeof domain === 'string' && DOMAIN.test(domain)))
    throw new TypeError(`app ${uri}: the domain must be 1 to 253 characters of A-Z a-z 0-9 . : / _ -`);
  const ui: JsonObject = present({
    csp,
    permissions: permissions === undefined ? undefined : toPermissions(uri, permissions),
    domain,
    prefersBorder,
  });
  const _meta = Object.keys(ui).length === 0 ? undefined : { ui };
  return compileResource(
    uri,
    { ...described, mimeType: APP_MIME_TYPE, meta: { ...meta, ..._meta } },
    async (_uri, context) => ({
      uri,
      mimeType: APP_MIME_TYPE,
      text: typeof page === 'string' ? page : await page(context),
      ...present({ _meta }),
    }),
  );
}

/**
 * Answers whether a client shows apps, so that a tool may answer less text where its app shows the rest. Text that
 * stands for itself is due in any case. Spec: MCP Apps, capability negotiation.
 */
export function showsApps({ extensions: declared }: ClientCapabilities): boolean {
  const settings = declared !== undefined && Object.hasOwn(declared, extensions.apps) ? declared[extensions.apps] : {};
  const mimeTypes: unknown = settings?.['mimeTypes'];
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE);
}

/** An origin and nothing more: what else stands there would end up in the host's policy. */
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;
/** Hosts ask for it in forms of their own; none of them has what would end a rule of a policy. */
const DOMAIN = /^[A-Za-z0-9.:/_-]{1,253}$/;
const originKinds: KnownOptions<AppOrigins> = {
  connectDomains: true,
  resourceDomains: true,
  frameDomains: true,
  baseUriDomains: true,
};
const knownPermissions: { readonly [P in AppPermission]: true } = {
  camera: true,
  microphone: true,
  geolocation: true,
  clipboardWrite: true,
};

function assertOrigins(uri: string, csp: AppOrigins): void {
  assertKnownOptions(`app ${uri}, csp`, csp, originKinds);
  for (const [kind, origins] of Object.entries(csp) as [string, unknown][]) {
    if (origins === undefined) continue;
    if (!Array.isArray(origins)) throw new TypeError(`app ${uri}: csp.${kind} must be a list of origins`);
    for (const origin of origins as unknown[])
      if (!isOrigin(origin))
        throw new TypeError(
          `app ${uri}: csp.${kind} must hold origins like https://cdn.example.com, not ${clip(JSON.stringify(origin) ?? typeof origin, 200)}`,
        );
  }
}

function isOrigin(origin: unknown): boolean {
  return typeof origin === 'string' && ORIGIN.test(origin) && URL.canParse(origin.replace('://*.', '://x.'));
}

function toPermissions(uri: string, permissions: unknown): JsonObject {
  if (!Array.isArray(permissions)) throw new TypeError(`app ${uri}: permissions must be a list`);
  for (const permission of permissions as readonly unknown[])
    if (typeof permission !== 'string' || !Object.hasOwn(knownPermissions, permission))
      throw new TypeError(
        `app ${uri}: there is no permission ${clip(JSON.stringify(permission) ?? typeof permission, 200)}; there are ${Object.keys(knownPermissions).join(', ')}`,
      );
  return Object.fromEntries(permissions.map((permission: string) => [permission, {}]));
}
