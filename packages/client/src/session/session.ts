import type {
  ClientCapabilities,
  Implementation,
  JsonObject,
  LoggingLevel,
  MethodName,
  Notification,
  Revision,
  ServerCapabilities,
} from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields, Principal } from '../message/connection.ts';
import type { ToolHeaders } from './tool-headers.ts';
import type { Hold } from '../timing/hold.ts';

/** What a server said about itself when it was met. All of it is self-reported. */
export interface ServerFacts {
  readonly revision: Revision;
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** What this client says about itself. */
export interface ClientFacts {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Whether a legacy server is told when the roots change. */
  readonly announcesRoots?: boolean;
}

/** What goes with one request, whatever the revision. */
export interface SendOptions {
  readonly signal: AbortSignal;
  /** Whether the server is left in the dark when the signal aborts. */
  readonly leavesSilently?: true;
  /** Takes progress and log notifications of this request. */
  readonly onNotification: (notification: Notification) => void;
  /** Whether the server is asked to report progress. */
  readonly wantsProgress: boolean;
  /** Asks the server for log messages of this level and above. */
  readonly logLevel?: LoggingLevel | undefined;
  /** Further keys of `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** The headers that repeat tool arguments, of {@link Session.toolHeaders}. */
  readonly argumentHeaders?: HeaderFields | undefined;
  /** Whether sending it twice changes nothing. Default: so it is for every method but `tools/call`. */
  readonly isRepeatable?: boolean | undefined;
  /** How much is left of the deadline, in milliseconds. Absent: nothing is known, so nothing is repeated. */
  readonly timeLeftMs?: (() => number) | undefined;
  /** Lets the time limits of the request stand still while work lasts that a person may take his time for. */
  readonly hold?: Hold | undefined;
  /** As `RequestOptions.onSentAs`. */
  readonly onSentAs?: ((principal: Principal) => void) | undefined;
}

/**
 * A conversation with one server in the modern model. Behind it stands one revision; nothing in front of it asks which.
 */
export interface Session {
  readonly era: 'modern' | 'legacy';
  /** What carries it. */
  readonly kind: Connection['kind'];
  readonly facts: ServerFacts;
  /** What makes the headers that repeat tool arguments; absent where none do. */
  readonly toolHeaders: ToolHeaders | undefined;
  /**
   * Sends one request and answers the `result` in the modern shape, unchecked. Rejects with a `ProtocolError` for the
   * peer's error response and with a {@link ClientError} or the signal's reason for everything else. When the signal
   * aborts, the server is told in the way of its transport and revision.
   */
  send(method: MethodName, params: JsonObject, options: SendOptions): Promise<JsonObject>;
  /** Asks the server, or answers from what it said at the start where the revision has no such request. */
  discover(options: SendOptions): Promise<JsonObject>;
  /** Tells the server that the roots changed; absent where the revision has it ask each time. */
  rootsChanged?(signal: AbortSignal): Promise<void>;
  /** Whether the server refused to renew the session, as one of another era would. */
  isOutdated?(): boolean;
  /**
   * Calls `listener` when a server that had dropped the conversation was greeted anew, so that it knows nothing of
   * what it was asked to tell of; the answer ends that. Absent where a conversation ends with its connection.
   */
  onRenewed?(listener: () => void): () => void;
  /**
   * Calls `listener` when what the server says by itself cannot be heard for a while, and when it is heard again: what it
   * said meanwhile may be lost. The answer ends that. Absent where only an end of the connection does that.
   */
  onGap?(listener: (what: 'begins' | 'is over') => void): () => void;
  /** As {@link import('../message/connection.ts').Connection.principal}. */
  principal?(): Principal;
  /** As {@link import('../message/connection.ts').Connection.closed}. */
  readonly closed: Promise<ClientError | undefined>;
  close(): Promise<void>;
}
