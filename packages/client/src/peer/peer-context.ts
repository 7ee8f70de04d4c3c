import { callGuarded } from './call-guarded.ts';
import type { ClientErrorCode } from './client-error-code.ts';
import { ClientError, type ClientErrorDetails } from './client-error.ts';
import { type ClientWarning, type ClientWarningCode, createWarn } from './client-warning.ts';
import { type Clock, systemClock } from './clock.ts';
import { createMask } from './mask-secrets.ts';
import { createStrays, type Strays } from './strays.ts';
import { textOf } from './text-of.ts';

/** What every part of one client knows about the server that it reaches. */
export interface PeerContext {
  /** The configured name of the server. */
  readonly server: string;
  readonly clock: Clock;
  /** The largest message that is read, in bytes. */
  readonly maxMessageBytes: number;
  /** Whether integers that a double cannot hold are read as `bigint`. */
  readonly exactIntegers: boolean;
  /** Whether what the server names may be fetched from an origin: its own, and those that the caller trusts. */
  readonly isTrustedOrigin: (origin: string) => boolean;
  /** How many notifications of the server pass in a second, on a connection and of one call. */
  readonly maxNotificationsPerSecond: number;
  /** Answers a number from 0 up to 1, for waits that clients must not have in common. */
  random(): number;
  /** Answers an error that names the server, with the caller's credentials masked; it does not throw. */
  fail(code: ClientErrorCode, message: string, details?: ClientErrorDetails): ClientError;
  /** Answers a text of the server with the caller's credentials masked. */
  mask(text: string): string;
  /**
   * Masks one more credential from now on, such as a token that was just obtained. The last 100 are kept, and of those that
   * the server made up, such as the id of a session, another 100, so that it cannot have the others forgotten.
   */
  learnSecret(secret: string, madeBy?: 'server'): void;
  /** What the server wrote that is no answer to anything. */
  readonly strays: Strays;
  /** Warns, with the caller's credentials masked. A function is called only where somebody is told. */
  warn(code: ClientWarningCode, message: string | (() => string)): void;
  /** Calls a callback of the caller by its name; a failure of it becomes a warning. It does not throw. */
  callBack(name: string, callback: () => unknown): void;
}

/** What {@link createPeerContext} needs. */
interface PeerContextOptions {
  readonly server: string;
  readonly clock?: Clock | undefined;
  /** Default: none is trusted. */
  readonly isTrustedOrigin?: ((origin: string) => boolean) | undefined;
  readonly random?: (() => number) | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly exactIntegers?: boolean | undefined;
  readonly maxNotificationsPerSecond?: number | undefined;
  readonly onWarning?: ((warning: ClientWarning) => void) | undefined;
  /** The credentials that are sent to the server, which may say them back. */
  readonly secrets?: readonly string[] | undefined;
}

/** 10 MiB. */
const DEFAULT_MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const DEFAULT_MAX_NOTIFICATIONS_PER_SECOND = 1000;

const MAX_LEARNED_SECRETS = 100;

/** Creates the context that a transport and a session work in. Limits take their defaults. */
export function createPeerContext(options: PeerContextOptions): PeerContext {
  const { server, clock = systemClock, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, exactIntegers = false } = options;
  const configured = options.secrets ?? [];
  const learned = new Set<string>();
  const learnedOfServer = new Set<string>();
  // Made when a text is to be shown: many more are learned than shown.
  let maskNow: ((text: string) => string) | undefined;
  const mask = (text: string): string =>
    (maskNow ??= createMask([...configured, ...learned, ...learnedOfServer]))(text);
  const warnOf = createWarn(server, options.onWarning);
  const warn: PeerContext['warn'] = (code, message) =>
    warnOf(code, () => mask(typeof message === 'string' ? message : message()));
  return {
    server,
    clock,
    maxMessageBytes,
    exactIntegers,
    isTrustedOrigin: options.isTrustedOrigin ?? (() => false),
    random: options.random ?? Math.random,
    maxNotificationsPerSecond: options.maxNotificationsPerSecond ?? DEFAULT_MAX_NOTIFICATIONS_PER_SECOND,
    fail: (code, message, details) => new ClientError(code, server, mask(message), maskDetails(details, mask)),
    mask,
    strays: createStrays(mask),
    learnSecret(secret, madeBy) {
      const known = madeBy === 'server' ? learnedOfServer : learned;
      // What is in use is the last to be forgotten.
      if (!known.delete(secret)) maskNow = undefined;
      known.add(secret);
      const [oldest] = known;
      if (known.size > MAX_LEARNED_SECRETS && oldest !== undefined) known.delete(oldest);
    },
    warn,
    callBack: (name, callback) =>
      callGuarded(callback, (error) => warn('callback-failed', `the callback ${name} threw: ${textOf(error)}`)),
  };
}

function maskDetails(details: ClientErrorDetails = {}, mask: (text: string) => string): ClientErrorDetails {
  const { challenge, said, stderr } = details;
  return {
    ...details,
    ...(challenge === undefined ? {} : { challenge: mask(challenge) }),
    ...(said === undefined ? {} : { said: mask(said) }),
    ...(stderr === undefined ? {} : { stderr: mask(stderr) }),
  };
}
