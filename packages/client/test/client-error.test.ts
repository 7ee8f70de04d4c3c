import { expect, it } from 'vitest';
import { ClientError } from '../src/index.ts';
import { createPeerContext } from '../src/peer/peer-context.ts';

it('has the sentence by itself as reason, without the name of the server and its stderr', () => {
  const error = new ClientError('closed', 'a "quoted": name', 'it ended: MCP server "x": y.', {
    stderr: 'panic\nat 1',
  });
  expect(error.reason).toBe('it ended: MCP server "x": y.');
  expect(error.message).toBe(
    `MCP server "a "quoted": name": ${error.reason}\nIts last lines on stderr:\n${error.stderr}`,
  );
});

it('masks reason and what was said as it masks the message', () => {
  const context = createPeerContext({ server: 'depot', secrets: ['hunter2hunter2'] });
  const error = context.fail('http-status', 'it sent hunter2hunter2.', { said: 'no hunter2hunter2 here' });
  expect(error.reason + error.said + error.message).not.toContain('hunter2');
  expect(error.said).toMatch(/^no .* here$/);
});
