import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { expectFeature, featureNames } from './features.ts';
import { type FeatureName, isAbsent, type Peer, type StartedPeer } from './peer.ts';

/** The features that a server with a capability must have been tried with. */
const featuresOf: { readonly [capability: string]: readonly FeatureName[] } = {
  tools: ['list', 'call'],
  resources: ['read'],
  prompts: ['prompt'],
  completions: ['complete'],
};

/** Defines a test for each peer and each feature, which it has or does not have for a reason. */
export function describePeers(peers: readonly Peer[]): void {
  it.each(peers)(
    '$name is a peer with all features named, and with a reason for each that it does not have',
    (peer) => {
      expect(Object.keys(peer.has).sort()).toEqual([...featureNames].sort());
      for (const offer of Object.values(peer.has)) if (isAbsent(offer)) expect(offer.absent).toMatch(/^[A-Z].+\.$/);
    },
  );
  describe.each(peers.map((peer) => [peer.name, peer] as const))('%s', (_name, peer) => {
    describePeer(peer);
  });
}

function describePeer({ has, revision, prior, start }: Peer): void {
  const asked: string[] = [];
  const content = isAbsent(has.elicit) ? {} : has.elicit.content;
  let started: StartedPeer | undefined;
  let client: Client;
  beforeAll(async () => {
    started = await start();
    client = await connect(started.target, {
      ...(prior === undefined ? {} : { prior }),
      input: {
        elicitForm(ask) {
          asked.push(ask.message);
          return Promise.resolve({ action: 'accept', content: ask.prefill(content) });
        },
        sample: () =>
          Promise.resolve({ model: 'none', role: 'assistant', content: { type: 'text', text: 'The model says: Ulm' } }),
        // Published servers leave the folders of their command line for these.
        ...(isAbsent(has.roots) ? {} : { roots: [{ uri: 'file:///matrix' }] }),
      },
    });
  });
  afterAll(async () => {
    await client?.close();
    await started?.end?.();
  });

  it(`is reached at ${revision}`, () => {
    expect(client.revision).toBe(revision);
  });

  const present = featureNames.filter((name) => !isAbsent(has[name]));
  it.each(present)('has %s', async (name) => {
    await expectFeature(name, client, has[name] as never, { asked });
  });

  const absent = featureNames.flatMap((name) => {
    const offer = has[name];
    return isAbsent(offer) ? [[name, offer.absent] as const] : [];
  });
  it.each(absent)('does not have %s: %s', (name) => {
    const declared = Object.keys(client.capabilities).flatMap((capability) => featuresOf[capability] ?? []);
    expect(declared).not.toContain(name);
  });
}
