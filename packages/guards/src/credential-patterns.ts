/** What kind of credential a text looks like. */
export type CredentialKind =
  'private-key' | 'authorization' | 'cookie' | 'jwt' | 'url-userinfo' | 'provider-key' | 'named-value';

/** One way in which credentials are written. */
export interface CredentialPattern {
  readonly kind: CredentialKind;
  /**
   * Global. Group 1 is what stands before the secret and may be empty, group 2 is the secret; nothing is consumed after it.
   * Each part either has a bound or excludes what starts the next one, so that a search takes linear time.
   */
  readonly expression: RegExp;
  /** Whether a match is taken in running text, where masking too much is better than too little. Default: each is. */
  readonly isSecret?: (secret: string, before: string) => boolean;
  /** Whether a match is a literal credential in a configuration, where a false alarm is worse. Default: as `isSecret`. */
  readonly isLiteral?: (secret: string, before: string) => boolean;
}

const NOT_IN_WORD = '(?<![A-Za-z0-9_-])';

// Keys whose issuers gave them a prefix so that they can be found.
const PROVIDER_KEYS = [
  'sk-[A-Za-z0-9_-]{16,}',
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
const KEY_NAME =
  '(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|account[_-]?key|signature|credential|credentials)';
const SECRET_NAME = `(?:${PASSWORD_NAME}|${KEY_NAME})(?:[_-]?(?:key|value|id|[0-9]{1,3}))?`;
// Quoted: up to the closing quote, or to the end where the text was cut. Bare: up to what can end a value in a shell, a URL,
// a header or JSON.
const VALUE = `("(?:[^"\\\\]|\\\\[^])*|'(?:[^'\\\\]|\\\\[^])*|[^\\s"'&;,<>(){}|]+)`;

// Counters and positions of the protocol that end in "token" and hold no secret.
const HARMLESS_NAME = /(?:progress|page|cursor|max|min|next|num|total|prompt|completion)[_-]?token[^a-z]*$/i;

/** True where a value only says where the secret comes from, or stands in a template: `${TOKEN}`, `<token>`, `op://…`. */
function isPlaceholder(value: string): boolean {
  return (
    /[$%]\w+|\$\{|\{\{|^\{|^<|^\[|^\*+$|^x+$|^\.+$|…/i.test(value) ||
    /^(?:arn|env|file|vault|ssm|op|keyring|keychain|secret|input|cmd|https?):/i.test(value) ||
    /^(?:true|false|null|none|undefined|required|optional|string|number|boolean|stdin|prompt|ask|yes|no|on|off|-)$/i.test(
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

/** True where a text does not look like a word: 20 characters, or 8 with a digit, or with both cases inside. */
function looksRandom(value: string): boolean {
  return value.length >= 20 || (value.length >= 8 && (/[0-9]/.test(value) || /[a-z][A-Z]/.test(value)));
}

function unquoted(value: string): string {
  return /^["']/.test(value) ? value.slice(1) : value;
}

function isLiteralValue(secret: string, before: string): boolean {
  const value = unquoted(secret);
  if (HARMLESS_NAME.test(before) || isPlaceholder(value) || isPathLike(value)) return false;
  return new RegExp(PASSWORD_NAME, 'i').test(before) ? value.length > 0 : looksRandom(value);
}

function isMaskedValue(secret: string, before: string): boolean {
  const value = unquoted(secret);
  if (value === '' || HARMLESS_NAME.test(before)) return false;
  // PWD and OLDPWD are folders.
  return !(/pwd/i.test(before) && isPathLike(value));
}

function isLiteralUserinfo(userinfo: string): boolean {
  const colon = userinfo.indexOf(':');
  if (colon === -1) return looksRandom(userinfo) && userinfo.length >= 16 && !isPlaceholder(userinfo);
  const password = userinfo.slice(colon + 1);
  return password !== '' && !isPlaceholder(password);
}

/** How credentials are written, the longest forms first, so that a part of one is not taken for another. */
export const CREDENTIAL_PATTERNS: readonly CredentialPattern[] = [
  {
    kind: 'private-key',
    expression:
      /()(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{0,60}-----)?)/g,
  },
  {
    kind: 'cookie',
    expression: /(?<![A-Za-z0-9])((?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?)([^\r\n"']+)/gi,
    isSecret: (secret) => secret.includes('='),
    isLiteral: (secret) => secret.includes('=') && !isPlaceholder(secret),
  },
  {
    kind: 'authorization',
    expression: /(authorization["']?\s{0,4}[=:]\s{0,4}["']?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,4})?)([^\s"',]+)/gi,
    isLiteral: (secret) => !isPlaceholder(secret) && looksRandom(secret),
  },
  {
    kind: 'authorization',
    expression: /(?<![A-Za-z0-9])((?:bearer|basic|dpop)\s{1,4})([A-Za-z0-9._~+/-]{8,}=*)/gi,
    isSecret: (secret) => looksRandom(secret),
  },
  {
    kind: 'jwt',
    expression: new RegExp(`()(${NOT_IN_WORD}eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){2,4})`, 'g'),
  },
  {
    kind: 'url-userinfo',
    expression: /(:\/\/)([^\s/?#"'<>]{1,1024}(?=@))/g,
    isSecret: (secret) => secret.includes(':') || looksRandom(secret),
    isLiteral: isLiteralUserinfo,
  },
  {
    kind: 'provider-key',
    expression: new RegExp(`()(${NOT_IN_WORD}(?:${PROVIDER_KEYS.join('|')}))`, 'g'),
    // A prefix and words alone are a name: sk-learn-contrib-packages.
    isSecret: (secret) => /[0-9]/.test(secret) || /[a-z][A-Z]/.test(secret),
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(${SECRET_NAME}["']?\\s{0,4}[=:]\\s{0,4})${VALUE}`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(--?[A-Za-z0-9-]{0,40}${SECRET_NAME}\\s{1,4})(?!-)${VALUE}`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
];
