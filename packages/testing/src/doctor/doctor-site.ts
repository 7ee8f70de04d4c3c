import {
  type Client,
  type ClientWarning,
  type Clock,
  createHttpTransport,
  createMask,
  type HttpCredentials,
  type Listed,
} from '@switchyard/client';
import { connect, createStdioTransport, readUnixTarget } from '@switchyard/client/node';
import { redactedExcerpt } from '@switchyard/guards';
import {
  type CallToolResult,
  encodeBase64,
  httpHeaders,
  isLegacyRevision,
  type JsonObject,
  present,
  type Tool,
} from '@switchyard/protocol';

import type { RawConnectionTarget } from '../raw/raw-connection.ts';
import { type Contact, meetOverHttp, meetOverStdio } from './contact.ts';
import { createHttpPeer, type HttpPeer } from './http-peer.ts';
import { openStdioPeer, type StdioPeer } from './stdio-peer.ts';

/** What the tool that was named is called with. */
export interface DoctorCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What a call came to: a result, or what was thrown. */
export type CallOutcome = {
  readonly elapsedMs: number;
  /** When each report of progress came, in milliseconds from the start; the first 1,000. */
  readonly progressMs: readonly number[];
} & ({ readonly result: CallToolResult } | { readonly error: unknown });

/** How a site is made. */
export interface DoctorSiteOptions {
  readonly tool?: DoctorCall | undefined;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly credentials?: HttpCredentials | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly loginCommand: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What the steps share: each of these is come by once, when it is first needed. */
export interface DoctorSite {
  readonly transport: 'http' | 'stdio';
  readonly tool: DoctorCall | undefined;
  readonly timeoutMs: number;
  readonly idleMs: number;
  /** A command that logs in to the server, to paste; `undefined` where a login is of no use. */
  readonly loginCommand: string | undefined;
  /** Over HTTP; throws over stdio. */
  http(): HttpPeer;
  /** The last process that was started by hand; `undefined` before the first. */
  process(): StdioPeer | undefined;
  /** All lines on stdout that were no messages, of every such process. */
  stray(): readonly string[];
  /** Rejects with the SpawnError of a program that does not start. */
  contact(): Promise<Contact>;
  /** A whole client. Rejects with a `ClientError` or a `ProtocolError`. */
  client(): Promise<Client>;
  /** Rejects in the same way. */
  tools(): Promise<Listed & { readonly tools: readonly Tool[] }>;
  /** Calls the tool that was named, once; throws where none was. */
  called(): Promise<CallOutcome>;
  /** What the client survived so far. */
  readonly warnings: readonly ClientWarning[];
  /** A text from outside as evidence: one line, cleaned, without credentials, at most `maxChars` (300). */
  excerpt(text: string, maxChars?: number): string;
  close(): Promise<void>;
}

const MAX_EXCERPT_CHARS = 300;
const MAX_WARNINGS = 100;
const MAX_PROGRESS = 1_000;
const FAREWELL_MS = 1_000;

/** Creates what the steps of one diagnosis share. Whoever created it closes it. */
export function createDoctorSite(given: RawConnectionTarget, options: DoctorSiteOptions): DoctorSite {
  const { clock, signal, timeoutMs, tool, credentials, env } = options;
  const target = readTarget(given);
  const transport = 'url' in target ? createHttpTransport(target) : createStdioTransport(target);
  const learned: string[] = [];
  credentials?.onSecret?.((secret) => void learned.push(secret));
  const warnings: ClientWarning[] = [];
  const processes: StdioPeer[] = [];
  const peer = 'url' in target ? createHttpPeer({ ...target, credentials, env, timeoutMs, clock, signal }) : undefined;

  const http = (): HttpPeer => {
    if (peer === undefined) throw new TypeError('there is no HTTP over stdio');
    return peer;
  };
  const start = async (): Promise<StdioPeer> => {
    if ('url' in target) throw new TypeError('there is no process over HTTP');
    await processes.at(-1)?.close();
    const started = await openStdioPeer(target, { clock, signal });
    processes.push(started);
    return started;
  };
  const contact = once(() => (peer === undefined ? meetOverStdio(start, { timeoutMs, clock }) : meetOverHttp(peer)));
  const client = once(async () => {
    const { era, greeting } = await contact();
    // A second process beside the first may find its port or its file taken.
    await processes.at(-1)?.close();
    const version = greeting?.['protocolVersion'];
    const prior = era === 'legacy' && isLegacyRevision(version) ? { era, revision: version } : undefined;
    return connect('url' in target ? target.given : target, {
      ...present({ prior, baseEnv: env, credentials }),
      ...('url' in target ? { headers: target.headers } : {}),
      timeoutMs,
      maxTimeoutMs: timeoutMs,
      startTimeoutMs: timeoutMs + 5_000,
      cache: false,
      signal,
      clock,
      onWarning: (warning) => {
        if (warnings.length < MAX_WARNINGS) warnings.push(warning);
      },
    });
  });
  const tools = once(async () => (await client()).listTools({ signal }));
  const called = once(async (): Promise<CallOutcome> => {
    if (tool === undefined) throw new TypeError('no tool was named');
    const opened = await client();
    const started = clock.now();
    const progressMs: number[] = [];
    const onProgress = (): void => {
      if (progressMs.length < MAX_PROGRESS) progressMs.push(clock.now() - started);
    };
    try {
      const result = await opened.callTool(tool.name, tool.arguments, { signal, onProgress });
      return { result, progressMs, elapsedMs: clock.now() - started };
    } catch (error) {
      signal.throwIfAborted();
      return { error, progressMs, elapsedMs: clock.now() - started };
    }
  });

  /** What a legacy server keeps for the messages that were sent by hand. */
  async function endSession(): Promise<void> {
    // A courtesy: a server that does not take it lets the session expire.
    const { sessionId } = (await contact.began()?.catch(() => undefined)) ?? {};
    if (peer === undefined || sessionId === undefined || signal.aborted) return;
    await peer
      .ask({ isDelete: true, headers: { [httpHeaders.sessionId.key]: sessionId }, timeoutMs: FAREWELL_MS })
      .catch(() => undefined);
  }

  return {
    transport: peer === undefined ? 'stdio' : 'http',
    tool,
    timeoutMs,
    idleMs: options.idleMs,
    loginCommand: options.loginCommand,
    http,
    process: () => processes.at(-1),
    stray: () => processes.flatMap(({ stray }) => stray),
    contact,
    client,
    tools,
    called,
    warnings,
    excerpt(text, maxChars = MAX_EXCERPT_CHARS) {
      const mask = createMask([...(transport.secrets ?? []), ...learned]);
      // What is invisible must not hide a credential from the first look, so the cleaned text gets a second one.
      return mask(redactedExcerpt(mask(text.slice(0, 8 * maxChars)), maxChars));
    },
    async close() {
      await endSession();
      await Promise.allSettled([
        client.began()?.then((opened) => opened.close()),
        ...processes.map((each) => each.close()),
        peer?.close(),
      ]);
    },
  };
}

type ReadTarget =
  | {
      /** What is requested, without a user. */
      readonly url: string;
      /** What a client is given: the same, or the URL of a unix socket. */
      readonly given: string;
      readonly headers: { readonly [name: string]: string };
      readonly socketPath?: string;
    }
  | Exclude<RawConnectionTarget, { readonly url: string }>;

/** Headers by lower-case name; a user and a password of the URL are one of them. */
function readTarget(target: RawConnectionTarget): ReadTarget {
  if (!('url' in target)) return target;
  const given = Object.entries(target.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const unix = readUnixTarget(target.url);
  const url = new URL(unix?.url ?? target.url);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const login = `${decoded(username)}:${decoded(password)}`;
  const basic =
    login === ':' ? [] : [['authorization', `Basic ${encodeBase64(new TextEncoder().encode(login))}`] as const];
  return {
    url: url.href,
    given: unix === undefined ? url.href : target.url,
    headers: Object.fromEntries([...basic, ...given]),
    ...present({ socketPath: unix?.socketPath }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The reason would repeat what may be a password.
    throw new TypeError('user and password of the URL are not properly percent-encoded');
  }
}

function once<T>(read: () => Promise<T>): (() => Promise<T>) & { began(): Promise<T> | undefined } {
  let reading: Promise<T> | undefined;
  return Object.assign(() => (reading ??= read()), { began: () => reading });
}
