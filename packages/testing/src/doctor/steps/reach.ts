import { connectionTrouble } from '../connection-trouble.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok } from '../finding.ts';
import type { Heard, NoAnswer } from '../heard.ts';
import { toMs } from '../to-ms.ts';

const SPEAKS_TLS = /^(?:CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|ERR_TLS_CERT_.*|HOSTNAME_MISMATCH)$/;
const WANTS_TLS = /(?:plain )?HTTP request[^<]{0,20} (?:was sent )?to (?:an )?HTTPS/i;

/** Whether anybody is at the address, as far as HTTP. */
export const reachStep: DoctorStep = {
  id: 'reach',
  question: 'Does the address answer?',
  transport: 'http',
  async run(site) {
    const { discover, initialize } = await site.contact();
    const heard = discover.failure?.kind === 'timeout' && initialize !== undefined ? initialize : discover;
    const { failure } = heard;
    if (await isPlainOnTls(site, heard)) {
      return cause(
        'The port speaks TLS, and it was asked without.',
        [failure === undefined ? `HTTP ${heard.status}: ${site.excerpt(heard.text)}` : show(site, failure)],
        `Write https:// in place of http://: ${httpsUrl(site.http().url)}`,
      );
    }
    if (failure === undefined) return ok(`It answers with HTTP ${heard.status} after ${toMs(heard.elapsedMs)}.`);
    if (failure.kind === 'timeout') return ok('It takes the request, and is silent so far.');
    return toCause(site, failure);
  },
};

function toCause(site: DoctorSite, failure: NoAnswer): Finding {
  if (failure.kind === 'credentials')
    return cause(
      'There are no credentials to send.',
      [show(site, failure)],
      site.loginCommand === undefined
        ? 'Look at the credentials of this server.'
        : `Log in again: ${site.loginCommand}`,
    );
  if (failure.message.startsWith('Proxy response ('))
    return cause(
      'The proxy on the way out made no connection.',
      [show(site, failure)],
      'Look at HTTPS_PROXY and its credentials, or name the host in NO_PROXY.',
    );
  const trouble = connectionTrouble(failure.code);
  return cause(
    trouble?.saw ?? 'The connection broke before an answer came.',
    [show(site, failure)],
    trouble?.fix ?? 'Look whether the server or something before it ended while it answered: its own log says so.',
  );
}

function show(site: DoctorSite, { code, message }: NoAnswer): string {
  return site.excerpt(code === '' || message.includes(code) ? message : `${code}: ${message}`);
}

/** A server that speaks TLS says so itself, or breaks the connection off and takes a TLS handshake. */
async function isPlainOnTls(site: DoctorSite, { status, text, failure }: Heard): Promise<boolean> {
  const { url } = site.http();
  if (!url.startsWith('http:')) return false;
  if (status === 400 && WANTS_TLS.test(text)) return true;
  if (failure?.kind !== 'closed') return false;
  const secure = await site.http().watch({ url: httpsUrl(url), isBare: true }, { forMs: 3_000 });
  return secure.status !== undefined || SPEAKS_TLS.test(secure.failure?.code ?? '');
}

function httpsUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `https://${host}${pathname}`;
}
