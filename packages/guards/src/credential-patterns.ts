/** What kind of credential a text looks like. */
export type CredentialKind =
  'private-key' | 'authorization' | 'cookie' | 'jwt' | 'url-userinfo' | 'provider-key' | 'named-value';

/** One way in which credentials are written. */
export interface CredentialPattern {
  readonly kind: CredentialKind;
  /**
   * Global. Group 1 is what stands before the secret and may be empty, group 2 is the secret; nothing is consumed after
   * it. Each part either has a bound or excludes what starts the next one, so that a search takes linear time.
   */
  readonly expression: RegExp;
  /** Whether a match is taken in running text, where masking too much is better than too little. Default: each is. */
  readonly isSecret?: (secret: string, before: string) => boolean;
  /**
   * Whether a match is a literal credential in a configuration, where a false alarm is worse. Default: as `isSecret`.
   */
  readonly isLiteral?: (secret: string, before: string) => boolean;
}

// Also after an escaped line end, as in JSON text, and after a percent-encoded character.
const NEW_WORD = '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2}))';

// Keys whose issuers gave them a prefix so that they can be found.
const providerKeys = [
  'sk-(?=[A-Za-z0-9_-]*[A-Za-z0-9_]{12})[A-Za-z0-9_-]{16,}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'whsec_[A-Za-z0-9+/=]{16,}',
  'gh[opusr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  'gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{10,}',
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[A-Za-z0-9_-]{35}',
  'GOCSPX-[A-Za-z0-9_-]{20,}',
  'ya29\\.[A-Za-z0-9_-]{20,}',
  'npm_[A-Za-z0-9]{30,}',
  'pypi-[A-Za-z0-9_-]{40,}',
  'hf_[A-Za-z0-9]{30,}',
  'gsk_[A-Za-z0-9]{30,}',
  'xai-[A-Za-z0-9]{30,}',
  'pplx-[A-Za-z0-9]{30,}',
  'tvly-[A-Za-z0-9-]{20,}',
  'dop_v1_[a-f0-9]{40,}',
  'shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{30,}',
  'hv[sb]\\.[A-Za-z0-9_-]{20,}',
  'lin_api_[A-Za-z0-9]{30,}',
  'ntn_[A-Za-z0-9]{30,}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  '[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}',
];

const PASSWORD_NAME = '(?:password|passwd|passphrase|passcode|pwd)';
// Progress tokens, page tokens and syntax errors name no secret.
const TOKEN_NAME = '(?<!(?:progress|page|cursor|max|min|next|num|unexpected)[_\\s-]?)token';
const KEY_NAME = `(?:secret|${TOKEN_NAME}|(?:api|access|private|auth|account|encryption|signing)[_-]?key|client[_-]?assertion|code[_-]?verifier)`;
const SECRET_NAME = `(?:${PASSWORD_NAME}|${KEY_NAME})(?:[_-]?(?:key|value|id|[0-9]{1,3}))?`;
const OPENING_QUOTE = `(?:\\\\{0,3}["'])?`;
// Inside quotes up to the closing one, or to the end of the line where the text was cut there; inside escaped quotes,
// as in
// JSON within JSON, up to the next backslash; bare up to what can end a value in a shell, a URL, a header or JSON.
const VALUE =
  `((?<=\\\\["'])[^"'\\\\\\r\\n]+|(?<=")(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])+|(?<=')(?:[^'\\\\\\r\\n]|\\\\[^\\r\\n])+|` +
  `(?<!["'])[^\\s"'&;,<>(){}|]+)`;

const IS_PASSWORD_NAME = new RegExp(PASSWORD_NAME, 'i');

/**
 * True where a value only says where the secret comes from, or stands in a template: `${TOKEN}`, `<token>`, `op://…`.
 */
function isPlaceholder(value: string): boolean {
  return (
    /^\$|\$\{|\$[A-Z_]{3,}|%\w+%|^[{<[]|^[*.xX-]+$|…/.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
    /^(?:arn|env|file|vault|ssm|op|keyring|keychain|secret|input|cmd|https?):/i.test(value) ||
    /^(?:true|false|null|none|undefined|required|optional|string|number|boolean|stdin|prompt|ask|yes|no|on|off)$/i.test(
      value,
    ) ||
    /^(?:your|my|the|some|example|changeme|change[_-]me|replace|insert|redacted|placeholder|dummy|todo)(?:$|[_\s-])/i.test(
      value,
    )
  );
}

function isPathLike(value: string): boolean {
  return /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value);
}

/** True for a text that is no word and no words in a row: it has digits or a capital inside, or is a very long word. */
function looksRandom(value: string): boolean {
  if (value.length < 8 || /^[A-Za-z]?[a-z]+(?:[-_.][a-z]+)+$/.test(value)) return false;
  return value.length >= 20 || /[0-9]/.test(value) || /[a-z][A-Z]/.test(value);
}

function isLiteralValue(value: string, name: string): boolean {
  if (isPlaceholder(value) || isPathLike(value)) return false;
  return IS_PASSWORD_NAME.test(name) || looksRandom(value);
}

function isMaskedValue(value: string, name: string): boolean {
  // PWD and OLDPWD are folders.
  return !(/pwd/i.test(name) && isPathLike(value));
}

function isLiteralUserinfo(userinfo: string): boolean {
  const colon = userinfo.indexOf(':');
  if (colon === -1) return userinfo.length >= 16 && looksRandom(userinfo) && !isPlaceholder(userinfo);
  const password = userinfo.slice(colon + 1);
  return password !== '' && !isPlaceholder(password);
}

/** How credentials are written, the longest forms first, so that a part of one is not taken for another. */
export const credentialPatterns: readonly CredentialPattern[] = [
  {
    kind: 'cookie',
    expression: /(?<![A-Za-z0-9])((?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?)([^\r\n"']+)/gi,
    isSecret: (secret) => secret.includes('='),
    isLiteral: (secret) => secret.includes('=') && !isPlaceholder(secret.slice(secret.indexOf('=') + 1)),
  },
  {
    kind: 'authorization',
    expression:
      /(authorization["']?\s{0,4}[=:]\s{0,4}["']?(?:(?:bearer|basic|digest|dpop|token|apikey|negotiate|ntlm)[ \t]{1,4})?)([^\s"',]+)/gi,
    isLiteral: (secret) => !isPlaceholder(secret) && looksRandom(secret),
  },
  {
    kind: 'authorization',
    expression: /(?<![A-Za-z0-9])((?:bearer|basic|dpop)\s{1,4})([A-Za-z0-9._~+/-]{8,}=*)/gi,
    isSecret: looksRandom,
  },
  {
    kind: 'jwt',
    expression: new RegExp(`()(${NEW_WORD}eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){2,4})`, 'g'),
  },
  {
    kind: 'url-userinfo',
    expression: /(:\/\/)([^\s/?#"'<>]{1,1024}(?=@))/g,
    isSecret: (secret) => secret.includes(':') || looksRandom(secret),
    isLiteral: isLiteralUserinfo,
  },
  {
    kind: 'provider-key',
    expression: new RegExp(`()(${NEW_WORD}(?:${providerKeys.join('|')}))`, 'g'),
    // A prefix and words alone are a name.
    isSecret: (secret) => /[0-9]/.test(secret) || /[a-z][A-Z]/.test(secret),
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(${SECRET_NAME}(?:\\\\{0,3}["'])?\\s{0,4}[=:]\\s{0,4}${OPENING_QUOTE})${VALUE}`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: new RegExp(
      `((?<![A-Za-z0-9-])--?[A-Za-z0-9-]{0,40}${SECRET_NAME}\\s{1,4}(?!-)${OPENING_QUOTE})${VALUE}`,
      'gi',
    ),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: /([?&](?:code|sig|signature|x-amz-signature|x-goog-signature)=)([^\s&#"'<>]+)/gi,
    isLiteral: (secret) => !isPlaceholder(secret) && looksRandom(secret),
  },
];
