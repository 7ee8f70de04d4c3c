import { describe, expect, it } from 'vitest';
import { commandSecrets } from '../../src/node/command-secrets.ts';
import type { Command } from '../../src/node/index.ts';
import { createMask } from '../../src/peer/mask-secrets.ts';

const KEY = 'zq81kx77wplm20vv';
const basic = Buffer.from(`svc:${KEY}`).toString('base64');

describe('what a program says back of the secrets that it was started with', () => {
  it.each<[string, Pick<Command, 'args' | 'env'>, string?]>([
    ['a variable by its name', { env: { API_KEY: KEY } }],
    ['the password of a URL in a variable', { env: { DATABASE_URL: `postgres://bob:${KEY}@db/x?sslmode=require` } }],
    ['the password of a URL as an argument', { args: ['serve', `postgres://bob:${KEY}@db/x`] }],
    ['a password that is decoded', { args: ['postgres://bob:open%2Fsesame@db/x'] }, 'open/sesame'],
    ['a password that belongs in no URL', { args: ['postgres://bob:open#sesame@db/x'] }, 'open#sesame'],
    ['the user of a URL without a password', { args: [`--url=https://${KEY}@host/`] }],
    ['a key in a query', { env: { WEBHOOK: `https://x.example/h?mode=fast&token=${KEY}` } }],
    ['a value in a query that looks like one', { args: [`https://x.example/h?k=${KEY}`] }],
    ['the token of a header', { args: ['--header', `Authorization: Bearer ${KEY}`] }],
    ['the token of a header without a space', { args: ['-H', `Authorization:Bearer ${KEY}`] }],
    ['the value of a header in one argument', { args: [`--header=X-API-Key: ${KEY}`] }],
    ['the value of a header of any name', { args: ['--header', `X-Depot: ${KEY}`] }],
    ['the password of a Basic header', { args: ['--header', `Authorization: Basic ${basic}`] }],
    ['a header in JSON', { env: { OPENAPI_MCP_HEADERS: `{"Authorization":"Bearer ${KEY}","Version":"1"}` } }],
    ['a text deep in JSON', { args: ['--config', `{"a":[{"password":"${KEY}"}]}`] }],
    ['a header of any name in JSON', { args: [`{"headers":{"X-Depot":"${KEY}"}}`] }],
    ['a text of JSON that is escaped', { args: ['{"password":"open\\u002fsesame"}'] }, 'open/sesame'],
    ['a named value in any text', { args: ['--yaml', `depot: {token: ${KEY}}`] }],
    ['JSON within JSON', { args: [JSON.stringify({ inner: JSON.stringify({ apiKey: KEY }) })] }],
    ['one of several pairs', { env: { CONNECTION: `Server=db;User=bob;Password=${KEY};` } }],
    ['a pair with a comma in it', { env: { CONNECTION: 'Server=db;Password=open,sesame;' } }, 'open,sesame'],
    ['a pair between spaces', { env: { DSN: `host=db password=${KEY} dbname=x` } }],
    ['an option of one letter', { args: ['-k', KEY] }],
    ['an option of one letter with a sign in its value', { args: ['-p', 'S3cretPassw0rd!'] }, 'S3cretPassw0rd!'],
    ['an option of one letter with a short value', { args: ['-p', 'Passw0rd'] }, 'Passw0rd'],
    ['an option of one letter and its value in one', { args: ['-pS3cretPassw0rd1'] }, 'S3cretPassw0rd1'],
    ['a key under its plain name', { args: ['--key', KEY] }],
    ['the password of a login', { args: ['-u', `bob:${KEY}`] }],
    ['the password of a login in one', { args: [`-ubob:${KEY}`] }],
    ['the password of a login behind its name', { args: ['--user=bob:open sesame'] }, 'open sesame'],
    ['a login as a whole', { args: ['--proxy-user', 'bob:s3same'] }, 'bob:s3same'],
    ['the password of a login in a variable', { env: { API_AUTH: 'bob:opensesame' } }, 'opensesame'],
    ['a token of letters behind its scheme', { env: { T: 'Bearer opensesameopen' } }, 'opensesameopen'],
    ['what Basic holds under any name', { env: { T: `Basic ${basic}` } }],
    ['an argument that is a key and nothing else', { args: ['serve', `${KEY}${KEY}`] }, KEY + KEY],
  ])('is masked: %s', (_what, command, said = KEY) => {
    expect(createMask(commandSecrets(command))(`refused [${said}]!`)).toBe('refused [[redacted]]!');
  });

  it.each<[string, Pick<Command, 'args' | 'env'>, string]>([
    ['a package and its version', { args: ['-y', '@scope/server-files@1.2.3'] }, '@scope/server-files@1.2.3'],
    ['a port after -p', { args: ['-p', '8080808080'] }, '8080808080'],
    ['a port of an address after -p', { args: ['-p', '127.0.0.1:8080:80/tcp'] }, '127.0.0.1:8080:80/tcp'],
    ['a package after -p', { args: ['-p', 'typescript@^5.4.2'] }, 'typescript@^5.4.2'],
    ['a file after -p', { args: ['-p', 'src/App1/tsconfig.json'] }, 'src/App1/tsconfig.json'],
    ['a name with a number after -p', { args: ['-p', 'DepotFiles1'] }, 'DepotFiles1'],
    ['an image after -t', { args: ['-t', 'depot/image:1.2.3'] }, 'depot/image:1.2.3'],
    ['an option with one dash', { args: ['-testTimeout2000'] }, 'estTimeout2000'],
    ['a user', { args: ['--user', 'alice.smith'] }, 'alice.smith'],
    ['a user and a group by their numbers', { args: ['-u', '10001:10001'] }, '10001:10001'],
    ['a user and his group', { args: ['-u', 'www-data:www-data'] }, 'www-data:www-data'],
    ['an address after -u', { args: ['-u', 'localhost:8080/production'] }, '8080/production'],
    ['words about a scheme', { args: ['Bearer authentication', 'Basic authentication'] }, 'authentication'],
    [
      'the host and the path of a URL',
      { args: [`https://bob:${KEY}@files.example/production`] },
      'files.example/production',
    ],
    ['a setting in a query', { args: ['postgres://db/x?sslmode=verify-full'] }, 'verify-full'],
    ['the type of a body', { args: ['--header', 'Accept: application/json'] }, 'application/json'],
    ['a folder', { args: ['--root', '/srv/files/2026'] }, '/srv/files/2026'],
    ['a word of JSON', { args: ['{"mode":"production"}'] }, 'production'],
  ])('is shown: %s', (_what, command, said) => {
    expect(createMask(commandSecrets(command))(`look at ${said}!`)).toBe(`look at ${said}!`);
  });

  it('is found in a program of a megabyte without a wait', () => {
    const started = performance.now();
    commandSecrets({ args: ['-e', 'const a = b; '.repeat(80_000)] });
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
