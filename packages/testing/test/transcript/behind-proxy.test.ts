import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

import { silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createFixtureServer } from '../../src/fixture/create-fixture-server.ts';
import { compareTranscripts, runChecks, toTranscript, type Transcript } from '../../src/index.ts';
import { openRawClient } from '../check/open-raw-client.ts';

async function serveFixture(): Promise<string> {
  const running = await serveHttp(createFixtureServer({ logger: silentLogger }), { port: 0 });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return running.url;
}

/** A reverse proxy; `spoil` changes what comes back. */
async function openProxy(url: string, spoil: (body: string) => string = (body) => body): Promise<string> {
  const { port, pathname } = new URL(url);
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, host: `127.0.0.1:${port}` };
    const upstream = forward({ port, path: pathname, method: request.method, headers }, (answer) => {
      const { 'content-length': _length, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => response.write(spoil(part)));
      answer.on('end', () => response.end());
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

/** What is said in a run of the checks. */
async function transcriptOf(url: string): Promise<Transcript> {
  const client = openRawClient([url]);
  await runChecks(client, { tool: { name: 'test_input_required_result_multi_round', arguments: {} } });
  return toTranscript(client);
}

describe('the transcripts of one server', () => {
  it('are the same in two runs, and with a proxy in front', async () => {
    const url = await serveFixture();
    const direct = await transcriptOf(url);
    expect(direct.entries.length).toBeGreaterThan(40);
    expect(compareTranscripts(direct, await transcriptOf(url))).toEqual([]);
    expect(compareTranscripts(direct, await transcriptOf(await openProxy(url)))).toEqual([]);
  });

  it('show what a proxy changes', async () => {
    const url = await serveFixture();
    const spoiled = await openProxy(url, (body) => body.replaceAll('"cacheScope":"private"', '"cacheScope":"public"'));
    const paths = compareTranscripts(await transcriptOf(url), await transcriptOf(spoiled)).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(['response.result.cacheScope']));
  });
});
