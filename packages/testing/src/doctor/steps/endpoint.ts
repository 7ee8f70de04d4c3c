import type { Contact } from '../contact.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok } from '../finding.ts';
import { type Heard, isNothingThere } from '../heard.ts';
import { describeHtml } from '../html-page.ts';
import { findWorkingPath } from '../other-paths.ts';

const HTML = /^\s*(?:<!doctype\s+html|<html|<head|<body)/i;
/** What tells an answer of something on the way from one of the server. */
const shownHeaders = ['content-type', 'server', 'via', 'location', 'retry-after', 'content-encoding', 'allow'];

/** Whether it is an MCP endpoint that answers, and not something before it or beside it. */
export const endpointStep: DoctorStep = {
  id: 'endpoint',
  question: 'Is an MCP endpoint at this path?',
  transport: 'http',
  async run(site) {
    const contact = await site.contact();
    const heard = worst(contact);
    if (contact.era === 'sse')
      return ok('It is one of the HTTP+SSE transport of revision 2024-11-05: a GET answers with an endpoint event.');
    if (heard.otherId !== undefined) return ok('It answers with JSON-RPC.');
    if (contact.era !== undefined || (heard.response !== undefined && !isNothingThere(heard)))
      return ok(`It answers with JSON-RPC (HTTP ${heard.status}).`);
    const { status, failure } = heard;
    if (status === undefined || (failure !== undefined && failure.kind !== 'closed'))
      return ok('It takes the request.');
    if (status === 401 || (status === 403 && !isHtml(heard)))
      return ok('It wants to know who calls, see the next step.');
    return judge(site, heard, status);
  },
};

/** The answer to `initialize`, where it was sent: servers of all revisions take that. */
function worst({ discover, initialize }: Contact): Heard {
  return initialize?.status === undefined ? discover : initialize;
}

async function judge(site: DoctorSite, heard: Heard, status: number): Promise<Finding> {
  const evidence = evidenceOf(site, heard, status);
  if (status >= 300 && status < 400) return redirected(site, heard, evidence);
  if (isNothingThere(heard)) return wrongPath(site, status, evidence);
  const encoding = heard.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity') {
    return cause(
      'The answer is compressed, though that was not asked for.',
      evidence,
      'Switch compression off for this path at the server or at the proxy before it (nginx: gzip off; it also ' +
        'holds event streams back).',
    );
  }
  const page = isHtml(heard) ? describeHtml({ text: heard.text, status, server: heard.header('server') }) : undefined;
  if (page !== undefined) return cause(page.saw, evidence, page.fix);
  const known = byStatus(status, heard);
  if (known !== undefined) return cause(known.saw, evidence, known.fix);
  return cause(
    heard.text === ''
      ? `It answers with HTTP ${status} and nothing else.`
      : 'What answers is no MCP server: no JSON-RPC came.',
    evidence,
    'Give the URL of the MCP endpoint, which often ends in /mcp; another service may have this address.',
  );
}

function redirected(site: DoctorSite, heard: Heard, evidence: readonly string[]): Finding {
  const location = heard.header('location') ?? '';
  const to = URL.canParse(location, site.http().url) ? new URL(location, site.http().url) : undefined;
  const place = to === undefined ? 'nowhere' : site.excerpt(`${to.origin}${to.pathname}`, 200);
  if (to !== undefined && /(?:log-?in|sign-?in|sso|saml|oauth|authorize|auth)\b/i.test(`${to.pathname} ${to.host}`)) {
    return cause(
      'It redirects to a page to sign in on.',
      evidence,
      'Something before the server wants a browser session: have it let the MCP path through to the server, or ' +
        'reach the server past it.',
    );
  }
  const isElsewhere = to !== undefined && to.host !== new URL(site.http().url).host;
  return cause(
    `It redirects to ${place}, and clients follow no redirect.`,
    evidence,
    'Use the URL where it leads: ' +
      `${place}${isElsewhere ? '\nIt is another host: send it credentials only where it is the same service.' : ''}`,
  );
}

async function wrongPath(site: DoctorSite, status: number, evidence: readonly string[]): Promise<Finding> {
  const { pathname } = new URL(site.http().url);
  const found = await findWorkingPath(site);
  return cause(
    status === 404
      ? `There is nothing at ${site.excerpt(pathname, 100)}.`
      : `${site.excerpt(pathname, 100)} takes no POST.`,
    evidence,
    found === undefined
      ? 'Correct the path: look for the one that the server serves, which often is /mcp.'
      : `Use the path that answers: ${found}`,
  );
}

function byStatus(status: number, heard: Heard): { readonly saw: string; readonly fix: string } | undefined {
  const wait = heard.header('retry-after');
  switch (status) {
    case 407:
      return { saw: 'A proxy wants credentials.', fix: 'Put them into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT' };
    case 413:
      return {
        saw: 'The request is too large for something on the way.',
        fix: 'Raise the limit of the proxy or the server (nginx: client_max_body_size).',
      };
    case 429:
      return {
        saw: 'It has had too many requests.',
        fix:
          wait === undefined
            ? 'Wait, and ask less often.'
            : `Wait as long as it asks to (Retry-After: ${wait.slice(0, 40)}), and ask less often.`,
      };
    case 406:
    case 415:
      return {
        saw: 'It does not take the media types of the protocol.',
        fix:
          'Have the proxy pass Accept and Content-Type on as they are: both application/json and ' +
          'text/event-stream are accepted.',
      };
    default:
      return status >= 500
        ? {
            saw: `It fails with HTTP ${status}.`,
            fix: 'Look at the log of the server, and whether the proxy before it reaches it.',
          }
        : undefined;
  }
}

function isHtml(heard: Heard): boolean {
  return /^text\/html\b/i.test(heard.header('content-type') ?? '') || HTML.test(heard.text);
}

function evidenceOf(site: DoctorSite, heard: Heard, status: number): readonly string[] {
  const headers = shownHeaders.flatMap((name) => {
    const value = heard.header(name);
    return value === undefined ? [] : [`${name}: ${site.excerpt(withoutQuery(name, value), 200)}`];
  });
  return [`HTTP ${status}`, ...headers, ...(heard.text.trim() === '' ? [] : [`body: ${site.excerpt(heard.text)}`])];
}

/** Where a redirect leads may carry a one-time code. */
function withoutQuery(name: string, value: string): string {
  return name === 'location' ? value.replace(/[?#].*$/s, '') : value;
}
