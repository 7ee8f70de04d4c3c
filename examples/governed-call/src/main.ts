import { openHost } from '@switchyard/host';
import { createServer } from '@switchyard/server';

const notes = createServer({ name: 'notes', version: '1.0.0' });
notes.tool('read_note', { description: 'Reads the note' }, () => 'Buy tea');
notes.tool('erase_note', { description: 'Erases the note' }, () => 'gone');

const agents = { reader: { allow: ['notes__read_*'] } };
const host = await openHost({ agents }, { mount: { notes }, audit: 'memory' });
console.log(await host.as('reader').call('notes__read_note'));
console.log(await host.as('reader').invoke({ method: 'tools/call', params: { name: 'notes__erase_note' } }));
await host.close();
