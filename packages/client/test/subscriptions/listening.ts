import { metaKeys, type SubscriptionFilter } from '@switchyard/protocol';
import type { ScriptedPeer, Written } from '../scripted-peer.ts';

/** The requests by which a client listens. */
export const listens = ({ written }: ScriptedPeer): readonly Written[] =>
  written.filter(({ method }) => method === 'subscriptions/listen');

/** The id of the last of them. */
export const lastListen = (peer: ScriptedPeer): number => listens(peer).at(-1)?.id ?? -1;

/** Has the server tell a subscription something. */
export function tell(peer: ScriptedPeer, id: number, method: string, params: object = {}): void {
  peer.send({
    jsonrpc: '2.0',
    method: `notifications/${method}`,
    params: { ...params, _meta: { [metaKeys.subscriptionId]: id } },
  });
}

/** Has the server agree, to what was asked unless told otherwise. */
export function acknowledge(peer: ScriptedPeer, id = lastListen(peer), filter?: SubscriptionFilter): void {
  const asked = listens(peer).find((listen) => listen.id === id)?.params?.['notifications'];
  tell(peer, id, 'subscriptions/acknowledged', { notifications: filter ?? asked });
}

/** Has the server end a subscription gracefully. */
export function endGracefully(peer: ScriptedPeer, id = lastListen(peer)): void {
  peer.answer(id, { resultType: 'complete', _meta: { [metaKeys.subscriptionId]: id } });
}
