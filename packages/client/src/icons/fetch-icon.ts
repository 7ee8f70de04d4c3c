import { assertKnownOptions, decodeBase64, type Icon, type KnownOptions } from '@switchyard/protocol';
import { assertMilliseconds, assertPositive } from '../timing/assert-limits.ts';
import { ClientError } from '../peer/client-error.ts';
import { withDeadline } from '../timing/deadline.ts';
import { quoted } from '../peer/excerpt.ts';
import { type Fetch, type FetchInit, openPlatformFetch } from '../http/fetch.ts';
import { readBody } from '../http/read-body.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type CheckedIcon, checkIcon, type IconLimits } from './check-icon.ts';
import { whyNoIcon } from './icon-rules.ts';
import { imageTypes } from './image-format.ts';

/** How an icon is fetched, and what it may be at most. */
export interface FetchIconOptions {
  /**
   * What HTTP goes through. It must add no credentials. Default: the platform's `fetch`, without cookies and referrer; the
   * `fetch` and the headers of the client are not used, since credentials go with them.
   */
  readonly fetch?: Fetch;
  readonly signal?: AbortSignal;
  /** How long it may take in all, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** The largest icon that is read, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /** The longest side, in pixels. Default 2,048. */
  readonly maxSide?: number;
  /** The most frames of an animation. Default 100. */
  readonly maxFrames?: number;
  /**
   * `safe`, the default, refuses an SVG that may run or load anything; `untrusted` answers it with `isSafe: false`, for a
   * sandbox; `refuse` takes none.
   */
  readonly svg?: IconLimits['svg'];
}

const fetchIconOptions: KnownOptions<FetchIconOptions> = {
  fetch: true,
  signal: true,
  timeoutMs: true,
  maxBytes: true,
  maxSide: true,
  maxFrames: true,
  svg: true,
};
const svgRules: ReadonlySet<unknown> = new Set<IconLimits['svg']>(['safe', 'untrusted', 'refuse']);

const MAX_REDIRECTS = 3;

/**
 * Fetches an icon of a server and answers it when it may be shown. It goes to no other origin than the server's or a
 * trusted one, over `https:`, without credentials, and follows redirects within that origin alone, three at most. What a
 * server says of the type is only held against what the bytes are: PNG, JPEG, WebP, GIF or SVG.
 *
 * Rejects with a `ClientError`: `result-rejected` for an icon that must not be used, `too-large`, `http-status`,
 * `connect-failed`, `timeout`, `aborted`, and `invalid-argument` for a limit that cannot be meant; with a `TypeError` for
 * an option that there is not.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export async function fetchIcon(
  context: PeerContext,
  icon: Icon,
  options: FetchIconOptions = {},
): Promise<CheckedIcon> {
  const { maxBytes = 1024 * 1024, timeoutMs, maxSide = 2048, maxFrames = 100, svg = 'safe' } = options;
  assertKnownOptions('fetchIcon', options, fetchIconOptions);
  assertMilliseconds(context, 'timeoutMs', timeoutMs);
  for (const [name, value] of Object.entries({ maxBytes, maxSide, maxFrames })) assertPositive(context, name, value);
  if (!svgRules.has(svg)) throw context.fail('invalid-argument', 'svg must be "safe", "untrusted" or "refuse".');
  const problem = whyNoIcon(icon, context.isTrustedOrigin);
  if (problem !== undefined) throw reject(context, icon, problem);
  const { bytes, type } = /^data:/i.test(icon.src)
    ? readDataUrl(context, icon)
    : await withDeadline(
        context,
        { what: 'fetching an icon', signal: options.signal, totalMs: timeoutMs ?? 10_000, totalOption: 'timeoutMs' },
        ({ signal }) => download(context, icon, { fetch: options.fetch, signal, maxBytes }),
      );
  if (bytes.length > maxBytes) throw tooLarge(context, maxBytes);
  const checked = checkIcon(bytes, [type, icon.mimeType], { maxSide, maxFrames, svg });
  if ('problem' in checked) throw reject(context, icon, checked.problem);
  return checked;
}

/** What was received, and what was said of its type. */
interface Received {
  readonly bytes: Uint8Array;
  readonly type: string | null;
}

function readDataUrl(context: PeerContext, icon: Icon): Received {
  const comma = icon.src.indexOf(',');
  const bytes = decodeBase64(icon.src.slice(comma + 1));
  if (bytes === undefined) throw reject(context, icon, 'its data URL is no Base64');
  return { bytes, type: icon.src.slice('data:'.length, comma) };
}

async function download(
  context: PeerContext,
  icon: Icon,
  {
    fetch = openPlatformFetch().fetch,
    signal,
    maxBytes,
  }: {
    readonly fetch: Fetch | undefined;
    readonly signal: AbortSignal;
    readonly maxBytes: number;
  },
): Promise<Received> {
  let url = new URL(icon.src);
  const init: FetchInit & { readonly credentials: 'omit'; readonly referrerPolicy: 'no-referrer' } = {
    method: 'GET',
    headers: { accept: imageTypes.join(', ') },
    signal,
    redirect: 'manual',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  };
  try {
    for (let redirects = 0; ; redirects += 1) {
      const { status, headers, body } = await fetch(url.href, init);
      const location = status >= 300 && status < 400 ? headers.get('location') : null;
      if (status === 200) {
        if (Number(headers.get('content-length') ?? 0) > maxBytes) {
          await body?.cancel();
          throw tooLarge(context, maxBytes);
        }
        const { bytes, isCut } = await readBody(body, maxBytes);
        if (isCut) throw tooLarge(context, maxBytes);
        return { bytes, type: headers.get('content-type') };
      }
      await body?.cancel();
      if (location === null || !URL.canParse(location, url.href)) {
        throw context.fail('http-status', `its icon was answered with HTTP ${status}.`, { status });
      }
      const next = new URL(location, url);
      // An origin is scheme, host and port.
      if (next.origin !== url.origin) throw reject(context, icon, 'it redirects to another origin');
      if (redirects >= MAX_REDIRECTS) throw reject(context, icon, `it redirects more than ${MAX_REDIRECTS} times`);
      url = next;
    }
  } catch (error) {
    if (error instanceof ClientError || signal.aborted) throw error;
    throw context.fail('connect-failed', 'its icon could not be fetched.', { cause: error });
  }
}

function tooLarge(context: PeerContext, maxBytes: number): ClientError {
  return context.fail('too-large', `its icon has more than ${maxBytes} bytes and is not used; maxBytes raises that.`);
}

function reject(context: PeerContext, { src }: Icon, problem: string): ClientError {
  const shown = /^data:/i.test(src) ? 'in a data URL' : quoted(src);
  return context.fail('result-rejected', `its icon ${shown} is not used: ${problem}.`);
}
