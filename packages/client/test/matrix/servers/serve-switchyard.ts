/** `serve-switchyard stdio|http|sse REVISION` */
import process from 'node:process';
import { serveHttp, serveStdio } from '@switchyard/server/node';
import { createMatrixServer, onlyRevision } from './switchyard.ts';

const [transport, revision = ''] = process.argv.slice(2);
const server = createMatrixServer();
if (transport === 'stdio') await serveStdio(server, { legacy: onlyRevision(revision) });
else {
  await serveHttp(server, { port: 0, legacy: onlyRevision(revision, transport === 'sse' ? { httpSse: {} } : {}) });
}
