import { expect, it } from 'vitest';
import { connect } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { discoveryTo, scriptFetch } from '../http/scripted-fetch.ts';
import { createManualClock } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';

it.each([{}, { 'retry-after': '2' }])(
  'a call that raises a doubt about the era of a busy server (%o) ends at once with its own error, and counts as not run',
  async (headers) => {
    const clock = createManualClock();
    let isBusy = false;
    const { fetch, methods } = scriptFetch((request) => {
      if (request.message.method === 'tools/call') {
        isBusy = true;
        return { status: 404 };
      }
      return isBusy ? { status: 503, headers } : (discoveryTo(request) ?? { status: 405 });
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch, clock }));
    expect(await failure(client.callTool('pay'))).toMatchObject({ status: 404, mayHaveRun: false });
    expect(methods()).toEqual(['server/discover', 'tools/call', 'server/discover']);
    expect(clock.now()).toBe(0);
  },
);
