import { expect } from 'vitest';
import type { CallOptions, Client } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { type FeatureName, isAbsent, type Offers, type ToolText } from './peer.ts';

/** What a test of a feature has besides the client. */
export interface Surroundings {
  /** The messages of the forms that the client was asked to fill in so far. */
  readonly asked: readonly string[];
}

type Features = {
  readonly [name in FeatureName]: (client: Client, offer: Offers[name], surroundings: Surroundings) => Promise<void>;
};

/** Uses each feature on what a peer has for it, and asserts on what comes of it. */
const features: Features = {
  async list(client, { tools, resources, templates, prompts }) {
    const listed = await client.listTools();
    expect(listed.leftOut).toEqual([]);
    expect(listed.tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...tools]));
    if (resources !== undefined) {
      const uris = (await client.listResources()).resources.map(({ uri }) => uri);
      expect(uris).toEqual(expect.arrayContaining([...resources]));
    }
    if (templates !== undefined) {
      const uris = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
      expect(uris).toEqual(expect.arrayContaining([...templates]));
    }
    if (prompts !== undefined) {
      const names = (await client.listPrompts()).prompts.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...prompts]));
    }
  },

  async call(client, offer) {
    await expectText(client, offer);
    const { tool } = offer;
    // What does not fit is a result with `isError` or an error of the protocol, by the peer's choice; no fault of ours.
    const refusal = await client.callTool(tool, { [tool]: [tool] }).then(
      ({ isError }) => isError,
      (error: Error) => error.name,
    );
    expect([true, 'ProtocolError']).toContain(refusal);
  },

  async read(client, texts) {
    for (const [uri, text] of Object.entries(texts)) {
      const { contents } = await client.readResource(uri);
      expect(contents).toEqual([expect.objectContaining({ uri, text: expect.stringContaining(text) })]);
    }
    await expect(client.readResource('nowhere://at/all')).rejects.toMatchObject({ name: 'ProtocolError' });
  },

  async prompt(client, { name, args, text }) {
    const { messages } = await client.getPrompt(name, args);
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
    await expect(client.getPrompt('nobody-has-this')).rejects.toMatchObject({ name: 'ProtocolError' });
  },

  async complete(client, { values, ...params }) {
    expect((await client.complete(params)).completion.values).toEqual(values);
  },

  async cancel(client, { tool, args = {}, heard }) {
    const giving = new AbortController();
    const call = client.callTool(tool, args, { signal: giving.signal, onProgress: () => giving.abort() });
    expect(await failure(call)).toMatchObject({ code: 'aborted' });
    if (!isAbsent(heard)) await expectText(client, heard);
    expect((await client.listTools({ cache: 'reload' })).tools).not.toEqual([]);
  },

  async progress(client, { reports, ...offer }) {
    const seen: number[] = [];
    await expectText(client, offer, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual(reports);
  },

  async sample(client, offer) {
    await expectText(client, offer);
  },

  async roots(client, offer) {
    await expectText(client, offer);
  },

  async log(client, { tool, args = {}, text, logged }) {
    const seen: unknown[] = [];
    await expectText(client, { tool, args, text }, { logLevel: 'info', onLog: ({ data }) => seen.push(data) });
    expect(seen).toEqual(logged);
  },

  async follow(client, { uri, ...offer }) {
    const told = Promise.withResolvers<string>();
    await using subscription = await client.subscribe(
      { resourceSubscriptions: [uri] },
      { onResourceUpdated: told.resolve },
    );
    expect(subscription.missing).toEqual({});
    await expectText(client, offer);
    expect(await told.promise).toBe(uri);
  },

  async elicit(client, offer, { asked }) {
    const before = asked.length;
    await expectText(client, offer);
    expect(asked.slice(before)).toEqual([offer.message]);
  },
};

export const featureNames = Object.keys(features) as readonly FeatureName[];

/** Uses one feature on what a peer has for it. */
export async function expectFeature<N extends FeatureName>(
  name: N,
  client: Client,
  offer: Offers[N],
  surroundings: Surroundings,
): Promise<void> {
  await features[name](client, offer, surroundings);
}

async function expectText(
  client: Client,
  { tool, args = {}, text }: ToolText,
  options: CallOptions = {},
): Promise<void> {
  const result = await client.callTool(tool, args, options);
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  expect(texts.join('\n')).toContain(text);
  expect(result.isError).not.toBe(true);
}
