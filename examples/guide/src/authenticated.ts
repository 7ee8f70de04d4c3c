import { createServer, type Principal, ProtocolError } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';

const callers = new Map<string, Principal>([
  ['Bearer s3cret-of-mira', { subject: 'mira', tenant: 'acme', scopes: ['orders'] }],
  ['Bearer s3cret-of-bob', { subject: 'bob', tenant: 'left-us' }],
]);

const whoami = createServer({ name: 'whoami', version: '1.0.0' });
whoami.tool(
  'whoami',
  { description: 'Who calls' },
  (_args, { principal }) => principal?.subject ?? 'nobody in particular',
);

/** Serves it to those who have a token, and to those who send none. */
export const running = await serveHttp(whoami, {
  port: 0,
  authenticate(head) {
    const token = head.header('authorization');
    if (token === undefined) return 'anonymous'; // let in; context.principal is undefined
    const caller = callers.get(token);
    if (caller?.tenant === 'left-us') throw new ProtocolError('invalidRequest', 'Your plan has ended', { status: 403 });
    return caller; // undefined: 401 with WWW-Authenticate: Bearer
  },
});
