import { createServer, silentLogger } from '@switchyard/server';
import { fileResource, serveHttp } from '@switchyard/server/node';

const sampleMs = 5;

/** A server of the files in one folder, in segments. */
export const segmentServer = (root: string): ReturnType<typeof createServer> =>
  createServer({ name: 'files', version: '1.0.0' }, { logger: silentLogger }).resourceTemplate(
    'file:///{name}{?offset,limit,version}',
    { name: 'File', segments: {} },
    ({ name }) => fileResource(String(name), { root }),
  );

/**
 * Run by itself, it tells its parent its address, and on every message how many bytes its memory has grown by at most
 * since.
 */
if (import.meta.main && process.send !== undefined) {
  const running = await serveHttp(segmentServer(process.argv[2] ?? ''), { port: 0 });
  const before = process.memoryUsage.rss();
  let peak = before;
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, sampleMs);
  process.on('message', () => process.send?.(peak - before));
  process.on('disconnect', () => process.exit(0));
  process.send(running.url);
}
