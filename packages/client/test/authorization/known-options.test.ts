import { expect, it } from 'vitest';
import { createOAuthCredentials, type OAuthCredentialsOptions } from '../../src/authorization/index.ts';

it.each([
  [{ scopes: 'orders:read' }, 'createOAuthCredentials: there is no option "scopes"; did you mean "scope"?'],
  [
    { client: { clientID: 'a' } },
    'createOAuthCredentials, client: there is no option "clientID"; did you mean "clientId"?',
  ],
])('createOAuthCredentials refuses what is no option of it, and names the nearest: %j', (options, message) => {
  const given = { serverUrl: 'https://depot.test/mcp', ...options } as object as OAuthCredentialsOptions;
  expect(() => createOAuthCredentials(given)).toThrow(new TypeError(message));
});
