import { AMBIGUOUS_NAME, PASSWORD_NAME, SECRET_NAME } from './secret-name.ts';
import { BARE_VALUE, OPENING, QUOTE, quotedValue, REST_OF_LINE, SEPARATOR } from './secret-value.ts';

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
  'dckr_pat_[A-Za-z0-9_-]{20,}',
  'glsa_[A-Za-z0-9_]{30,}',
  'ATATT[A-Za-z0-9_=-]{30,}',
  'dapi[a-f0-9]{32}(?![A-Za-z0-9])',
  'figd_[A-Za-z0-9_-]{20,}',
  'nvapi-[A-Za-z0-9_-]{30,}',
  'tskey-[A-Za-z0-9-]{20,}',
];

const SCHEME = '(?:(?:bearer|basic|digest|dpop|token|apikey|negotiate|ntlm)[ \\t]{1,4})?';
const NAMED = `${QUOTE}${SEPARATOR}${OPENING}`;
/** From one quoted argument to the next one. */
const LIST_STEP = String.raw`\\{0,8}["']\s{0,4},\s{0,4}(?=\\{0,8}["'][^-])`;
/** The name of a secret, as one member or attribute beside its value. */
const LABEL =
  `(?<![A-Za-z])(?:name|key)${QUOTE}${SEPARATOR}${QUOTE}[a-z0-9_.-]{0,60}${SECRET_NAME}${QUOTE}` +
  String.raw`(?:[\s,]|\\{1,8}[nrt]){1,64}${QUOTE}`;
const VALUE = `(${quotedValue()}|${BARE_VALUE})`;

const IS_PASSWORD_NAME = new RegExp(PASSWORD_NAME, 'i');
/** Names of several values, which are counted and spoken of. */
const IS_PLURAL = /(?:credential|(?<!s)s)[^a-z]*$/i;
const QUANTITY = /^[-+]?\d[\d.,:/_\s-]*[a-zµ%]{0,3}$/i;
/** What is said of a value, or which type it has. */
const STATE = new RegExp(
  '^(?:true|false|null|none|undefined|yes|no|on|off|ok|include|omit|same-origin|is|was|must|not|missing|required|' +
    'optional|expired|invalid|revoked|unexpected|unset|empty|string|str|number|boolean|bool)[.!]?$',
  'i',
);
/** Where a value stands in a file, which a trace writes behind its name. */
const POSITION = /^\d{1,6}:\d{1,6}$/;

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
  if (!isMaskedValue(value, name) || isPlaceholder(value) || isPathLike(value)) return false;
  return IS_PASSWORD_NAME.test(name) || looksRandom(value);
}

function isMaskedValue(value: string, name: string): boolean {
  // Of `${TOKEN}` and `$(command)` the sign alone.
  if (STATE.test(value) || value === '$') return false;
  if (POSITION.test(value) && name.endsWith(':') && !IS_PASSWORD_NAME.test(name)) return false;
  // PWD and OLDPWD are folders.
  if (/pwd/i.test(name) && isPathLike(value)) return false;
  if (/pass\W*$/i.test(name)) return !isCount(value);
  return !IS_PLURAL.test(name) || isOneOfSeveral(value, name);
}

/** True for a number that nobody has for a password. */
function isCount(value: string): boolean {
  return STATE.test(value) || (QUANTITY.test(value) && value.length < 4);
}

function isOneOfSeveral(value: string, name: string): boolean {
  if (STATE.test(value) || QUANTITY.test(value)) return false;
  return /[="'[]\s*$/.test(name) || isPasswordLike(value);
}

/** A password, other than what is said of passing tests and of sessions. */
function isMaskedWord(value: string, name: string): boolean {
  if (!/pass/i.test(name)) return looksRandom(value) && !isPathLike(value) && !QUANTITY.test(value);
  if (/["']\s*$/.test(name)) return !isCount(value);
  return isOneOfSeveral(value, name);
}

/** True for a text that is no word: it has letters and digits, or is very long. */
function isPasswordLike(value: string): boolean {
  return value.length >= 6 && ((/[0-9]/.test(value) && /[a-z]/i.test(value)) || looksRandom(value));
}

const BETWEEN_PARTS = /[\s"'=,[\]]+/;

/** True for what an authorization header holds, and not what is said about one. */
function isAuthorization(value: string, before: string): boolean {
  return /(?:[a-z][ \t]+|["'])$/i.test(before) || value.split(BETWEEN_PARTS).some(isPasswordLike);
}

function isLiteralAuthorization(value: string): boolean {
  return value.split(BETWEEN_PARTS).some(looksRandom) && !isPlaceholder(value);
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
    expression: new RegExp(`(?<![A-Za-z0-9])((?:set-)?cookie${NAMED})(${quotedValue()}|${REST_OF_LINE})`, 'gi'),
    isSecret: (secret) => secret.includes('='),
    isLiteral: (secret) => secret.includes('=') && !isPlaceholder(secret.slice(secret.indexOf('=') + 1)),
  },
  {
    kind: 'authorization',
    expression: new RegExp(`(authorization${NAMED}${SCHEME})(${quotedValue(SCHEME)}|${REST_OF_LINE})`, 'gi'),
    isSecret: isAuthorization,
    isLiteral: isLiteralAuthorization,
  },
  {
    kind: 'authorization',
    expression: new RegExp(`(authorization${NAMED}${SCHEME})((?!\\{)[^\\s"',]+)`, 'gi'),
    isSecret: (secret) => !STATE.test(secret),
    isLiteral: () => false,
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
    kind: 'provider-key',
    expression: /(hooks\.slack\.com\/[a-z]{1,20}\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)([\w/-]{20,})/g,
  },
  {
    kind: 'authorization',
    expression: /(\bcurl\b[^\n]{0,200}?\s(?:-u|--user)(?![\w-]*-)[ =]{0,4}["']?)([^\s"':]{1,100}:[^\s"']{1,200})/gi,
    isLiteral: isLiteralUserinfo,
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(${SECRET_NAME}${NAMED})${VALUE}`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(${AMBIGUOUS_NAME}${NAMED})${VALUE}`, 'g'),
    isSecret: isMaskedWord,
    isLiteral: (value, name) => isMaskedWord(value, name) && isLiteralValue(value, name),
  },
  {
    kind: 'named-value',
    expression: new RegExp(
      `((?<![A-Za-z0-9-])--?[A-Za-z0-9-]{0,40}${SECRET_NAME}(?:\\s{1,4}|${LIST_STEP})(?!-)${OPENING})${VALUE}`,
      'gi',
    ),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(${LABEL}value${NAMED})${VALUE}`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  {
    kind: 'named-value',
    expression: new RegExp(`(<[\\w:-]{0,40}${SECRET_NAME}>)([^<]{1,4096}(?=</))`, 'gi'),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  // The instructions of a Dockerfile, also in the output of its build.
  {
    kind: 'named-value',
    expression: new RegExp(
      `((?:^|[:\\]])[ \\t]{0,9}(?:env|arg)[ \\t]{1,4}[a-z0-9_]{0,60}${SECRET_NAME}[ \\t]{1,4}(?![=:])${OPENING})${VALUE}`,
      'gim',
    ),
    isSecret: isMaskedValue,
    isLiteral: isLiteralValue,
  },
  // A file .netrc.
  {
    kind: 'named-value',
    expression:
      /(\b(?:machine\s{1,4}\S{1,200}|default)\s{1,40}login\s{1,4}\S{1,200}\s{1,40}password\s{1,4})(\S{1,256})/g,
    isLiteral: (secret) => !isPlaceholder(secret),
  },
  {
    kind: 'named-value',
    expression: /([?&](?:code|sig|signature|x-amz-signature|x-goog-signature)=)([^\s&#"'<>]+)/gi,
    isLiteral: (secret) => !isPlaceholder(secret) && looksRandom(secret),
  },
];
