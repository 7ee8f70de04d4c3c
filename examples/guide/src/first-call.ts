import { fileURLToPath } from 'node:url';
import { connect } from '@switchyard/client/node';

const server = fileURLToPath(new URL('../../minimal/src/server.ts', import.meta.url));
// The URL of a server in place of this reaches one over HTTP.
const client = await connect({ command: process.execPath, args: ['--conditions=@switchyard/source', server] });
console.log((await client.listTools()).tools.map(({ name }) => name));
const { content } = await client.callTool('add_numbers', { a: 4, b: 2.5 });
console.log(content);
await client.close();
