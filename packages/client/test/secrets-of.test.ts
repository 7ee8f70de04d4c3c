import { describe, expect, it } from 'vitest';
import { secretsOf } from '../src/http/secrets-of.ts';
import { createMask } from '../src/peer/mask-secrets.ts';

const basic = (pair: string): string => Buffer.from(pair).toString('base64');

describe('what a server says back of the credentials that it was sent', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['the header that its URL becomes', 'https://svc:open%2Fsesame@host/', {}, basic('svc:open/sesame')],
    ['the password of its URL, decoded', 'https://svc:open%2Fsesame@host/', {}, 'open/sesame'],
    ['the user of its URL where there is no password', 'https://open-sesame@host/', {}, 'open-sesame'],
    ['the header of a user alone', 'https://open-sesame@host/', {}, basic('open-sesame:')],
    ['user and password of a Basic header', 'https://host/', { A: `Basic ${basic('svc:open-ä:b')}` }, 'svc:open-ä:b'],
    ['the password of a Basic header', 'https://host/', { a: `basic  ${basic('svc:open-ä:b')}` }, 'open-ä:b'],
    ['a token as user of a Basic header', 'https://host/', { a: `Basic ${basic('open-sesame:')}` }, 'open-sesame'],
    ['what follows a scheme', 'https://host/', { a: 'Bearer open-sesame' }, 'open-sesame'],
    ['a header that is no Base64', 'https://host/', { a: 'Basic open-ses%' }, 'open-ses%'],
    ['one value of a cookie', 'https://host/', { Cookie: 'sid=open-sesame; lang=en' }, 'open-sesame'],
    ['a value of a cookie, decoded', 'https://host/', { cookie: 'lang=en; sid=open%2Fsesame' }, 'open/sesame'],
    ['a value of a cookie in quotes', 'https://host/', { cookie: 'sid="open-sesame"; lang=en' }, 'open-sesame'],
    ['a value of its query', 'https://host/?a=1&key=open%2Fsesame', {}, 'open%2Fsesame'],
    ['a value of its query, decoded', 'https://host/?a=1&key=open+sesame', {}, 'open sesame'],
  ])('is masked: %s', (_what, url, headers, said) => {
    expect(createMask(secretsOf(url, headers))(`no access with ${said}!`)).toBe('no access with [redacted]!');
  });
});
