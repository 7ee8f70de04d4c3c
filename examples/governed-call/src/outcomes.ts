import { openHost } from '@switchyard/host';
import { createServer, ProtocolError } from '@switchyard/server';

const notes = createServer({ name: 'notes', version: '1.0.0' });
notes.tool('read_note', { description: 'Reads the note' }, () => 'Buy tea');
notes.tool('erase_note', { description: 'Erases the note' }, () => 'gone');

const agents = { reader: { allow: ['notes__read_*'] } };
const host = await openHost({ agents }, { mount: { notes }, audit: 'memory' });
const agent = host.as('reader');

// What the agent may use, under the names to call it by, and the servers that cannot be used now, with why.
const { tools, unavailable } = await agent.tools();
const names = tools.map(({ name }) => name);
console.log('may call', names, 'unavailable', unavailable);

for (const [name, args] of [['notes__read_note', { page: 1 }] as const, ['notes__erase_note', {}] as const]) {
  try {
    // Wrong arguments, a lost server, a deadline: a result with isError, for the model to read.
    const { isError = false, content } = await agent.call(name, args);
    console.log(name, { isError, content });
  } catch (error) {
    // A name that is unknown or out of reach, and an error that the server answered, are thrown.
    if (!(error instanceof ProtocolError)) throw error;
    console.log(name, error.code, error.message);
  }
}

// In this process, invoke tells why: it never throws.
const outcome = await agent.invoke({ method: 'tools/call', params: { name: 'notes__erase_note' } });
if (outcome.kind !== 'completed') {
  const { reason, server, details } = outcome.verdict;
  console.log(reason, server, details?.policies ?? [], details?.stderr ?? []);
}

// Every server with its state, and the evidence of what was called.
console.log(host.servers().map(({ name, state, error }) => ({ name, state, why: error?.stderr ?? [] })));
console.log(await host.audit.list({ kind: 'refused', limit: 10 }), (await host.audit.verify()).ok);
await host.close();
