import process from 'node:process';

import { reportCpu } from './report.ts';

// The floor over stdio: reads lines, parses, adds, and writes the same bytes as a conforming MCP server, without any
// check.
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } };
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const message = JSON.parse(line) as { id: number; params: { arguments: { a: number; b: number } } };
    const { a, b } = message.params.arguments;
    const answer = {
      jsonrpc: '2.0',
      id: message.id,
      result: { resultType: 'complete', _meta: serverInfo, content: [{ type: 'text', text: String(a + b) }] },
    };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
});
reportCpu();
