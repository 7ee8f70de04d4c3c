import process, { env } from 'node:process';
import { parseArgs } from 'node:util';

import { apiKeys, hashApiKey } from '@switchyard/server/authorization';
import { serveHttp, serveStdio } from '@switchyard/server/node';

import { createReviews } from './reviews.ts';
import { createStudyServer } from './server.ts';
import { callersFrom, handleTtlFrom, openStore } from './settings.ts';

/*
 * Serves the study server over stdio, or over HTTP with `--http PORT` (0 takes a free one). The environment says the
 * rest: STUDY_DATABASE, STUDY_KEYS, and SWITCHYARD_STATE_KEYS, the key that request state is sealed with; instances
 * that shall take each other's retries have the same.
 */
const { http } = parseArgs({ options: { http: { type: 'string' } } }).values;
const store = await openStore(env);
const server = createStudyServer(createReviews(store, handleTtlFrom(env)));

if (http === undefined) {
  const { closed } = await serveStdio(server);
  await closed;
  await store.close();
} else {
  const callers = [...callersFrom(env)];
  const keys = await Promise.all(
    callers.map(async ([key, subject]) => ({ digest: await hashApiKey(key), principal: { subject } })),
  );
  const running = await serveHttp(server, {
    port: Number(http),
    ...(keys.length === 0 ? {} : { authenticate: apiKeys({ keys }) }),
  });
  console.log(`study-server listens on ${running.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void running.close().then(() => store.close()));
}
