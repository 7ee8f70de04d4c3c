import { ClientError, parameterOf, parseChallenges } from '@switchyard/client';

import type { DoctorSite } from './doctor-site.ts';
import { cause, type Finding } from './finding.ts';

/** How a server did not take who calls. */
export interface RefusedAccess {
  /** 401 or 403. */
  readonly status: number;
  readonly challenge: string;
  readonly text: string;
  /** What was asked for, in words. */
  readonly what: string;
}

/** The same for an error of the client; `undefined` where it is about something else. */
export function judgeRefusedClient(site: DoctorSite, error: unknown, what: string): Finding | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const { status, challenge = '', said: text = '' } = error;
  return status === 401 || status === 403 ? judgeRefusal(site, { status, challenge, text, what }) : undefined;
}

const KEY_FIX =
  "Give the credentials that it wants with --header, such as 'Authorization: Bearer …' or 'x-api-key: …', or " +
  'under headers in the configuration.';
const NO_HOST = /\b(?:host|origin)\b/i;

/** Tells who is refused, and why, from the status and the challenge of an answer. */
export function judgeRefusal(site: DoctorSite, { status, challenge, text, what }: RefusedAccess): Finding {
  const challenges = parseChallenges(challenge);
  const [error] = parameterOf(challenges, 'error');
  const [description = ''] = parameterOf(challenges, 'error_description');
  const scopes = parameterOf(challenges, 'scope').join(' ');
  const wantsToken = challenges.some(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const login = loginFix(site);
  const evidence = [
    `HTTP ${status} to ${what}`,
    ...(challenge === '' ? [] : [`www-authenticate: ${site.excerpt(challenge)}`]),
    ...(text.trim() === '' ? [] : [`body: ${site.excerpt(text)}`]),
  ];
  if (error === 'insufficient_scope') {
    const wanted = scopes === '' ? 'a scope that it does not name' : `the scope ${site.excerpt(scopes, 150)}`;
    const fix = scopeFix(site, scopes);
    return cause(`The token lacks ${wanted}.`, evidence, fix);
  }
  if (status === 403) return forbidden(site, text, evidence, what);
  if (!site.http().hasCredentials()) {
    const given = site.loginCommand === undefined ? '' : "\nor give a token with --header 'Authorization: Bearer …'";
    const fix = wantsToken ? `${login}${given}` : KEY_FIX;
    return cause('It wants to know who calls, and no credentials were sent.', evidence, fix);
  }
  if (error === 'invalid_token') {
    return /expir/i.test(description)
      ? cause('The token has expired.', evidence, `Get a new one. ${login}`)
      : cause(
          'It does not take the token.',
          evidence,
          `Look whether it is a token for this server, whole and not revoked. ${login}`,
        );
  }
  if (wantsToken && error === undefined) {
    return cause(
      'It looks as if the Authorization header does not arrive: it was sent, and the answer is the one to a ' +
        'request without it.',
      evidence,
      'Have the proxy before the server pass Authorization on (Apache: CGIPassAuth on; nginx: proxy_set_header ' +
        'Authorization $http_authorization). Some servers answer a token that they do not know in the same ' +
        'way: try another one.',
    );
  }
  return cause(
    'It does not take the credentials.',
    evidence,
    `Look whether they are for this server, and whole. ${wantsToken ? login : ''}`.trim(),
  );
}

function forbidden(site: DoctorSite, text: string, evidence: readonly string[], what: string): Finding {
  if (NO_HOST.test(text))
    return cause(
      'It refuses the host or the origin of the request.',
      evidence,
      `Have the server allow the host ${new URL(site.http().url).host}, which is its protection against DNS ` +
        'rebinding, or use the host that it allows.',
    );
  if (!site.http().hasCredentials())
    return cause(
      `Whoever calls without credentials may not have ${what}.`,
      evidence,
      `${KEY_FIX}\nAsk whoever runs the server which it takes.`,
    );
  return cause(
    `Whoever calls is known, and may not have ${what}.`,
    evidence,
    'Ask whoever runs the server for the permission, or use other credentials.',
  );
}

function loginFix({ loginCommand }: DoctorSite): string {
  return loginCommand === undefined
    ? 'Give this server a good token under headers in the configuration.'
    : `Log in: ${loginCommand}`;
}

function scopeFix(site: DoctorSite, scopes: string): string {
  const { loginCommand } = site;
  if (loginCommand === undefined) return 'Give this server a token with that scope under headers in the configuration.';
  // It stands between quotes of a shell.
  const quoted = site.excerpt(scopes.replaceAll("'", ''), 150);
  return scopes === ''
    ? `Ask whoever runs the server which scope that needs, and log in with it: ${loginCommand} --scope …`
    : `Log in with it: ${loginCommand} --scope '${quoted}'`;
}
