import type { JsonObject, Revision } from '@switchyard/protocol';
import type { CompleteResult, ParamsOf } from '@switchyard/protocol';
import type { EraVerdict } from '../../src/index.ts';
import type { NodeTarget } from '../../src/node/index.ts';

/** Says that a peer does not have a feature, and why. */
export interface Absent {
  readonly absent: string;
}

/** A tool call, and a text that is in its result. */
export interface ToolText {
  readonly tool: string;
  readonly args?: JsonObject;
  readonly text: string;
}

/** What a peer has to use each feature on. */
export interface Offers {
  /** What is listed, among others. */
  readonly list: {
    readonly tools: readonly string[];
    readonly resources?: readonly string[];
    readonly templates?: readonly string[];
    readonly prompts?: readonly string[];
  };
  readonly call: ToolText;
  /** Contents by URI: a text that is in them. */
  readonly read: { readonly [uri: string]: string };
  readonly prompt: {
    readonly name: string;
    readonly args?: { readonly [name: string]: string };
    readonly text: string;
  };
  readonly complete: Omit<ParamsOf<'completion/complete'>, '_meta'> & {
    readonly values: CompleteResult['completion']['values'];
  };
  /** A tool that reports progress once it runs and goes on until it is cancelled; `heard` answers once that is done. */
  readonly cancel: { readonly tool: string; readonly args?: JsonObject; readonly heard: ToolText | Absent };
  /** A tool that reports progress. */
  readonly progress: ToolText & { readonly reports: readonly number[] };
  /** A tool that asks, and what is answered. */
  readonly elicit: ToolText & { readonly message: string; readonly content: { readonly [name: string]: string } };
  /** A tool that asks a model, and tells what it said. */
  readonly sample: ToolText;
  /** A tool that asks for the roots, and tells their URIs. */
  readonly roots: ToolText;
  /** A tool that logs on the level `info`, and the data of its messages. */
  readonly log: ToolText & { readonly logged: readonly unknown[] };
  /** A resource to subscribe to, and a tool that updates it. */
  readonly follow: ToolText & { readonly uri: string };
}

export type FeatureName = keyof Offers;

/** A peer that was started. */
export interface StartedPeer {
  readonly target: NodeTarget;
  /** Ends what was started beside the connection. */
  end?(): Promise<void>;
}

/** One server, over one transport, at one revision. */
export interface Peer {
  readonly name: string;
  readonly revision: Revision;
  /** What the client is told of it before; without it the client finds out. */
  readonly prior?: EraVerdict;
  readonly has: { readonly [name in FeatureName]: Offers[name] | Absent };
  start(): Promise<StartedPeer>;
}

export function isAbsent(offer: object): offer is Absent {
  return 'absent' in offer && typeof offer.absent === 'string';
}
