/** Schemes whose URLs run what stands in them, or hand it to another program, when somebody follows them. */
const unsafeSchemes: ReadonlySet<string> = new Set(['javascript', 'ms-msdt', 'search-ms', 'vbscript']);

/**
 * Schemes of browsers whose URLs hide where they lead, as long as no `//` follows: `blob://bucket/key` is a name that
 * means nothing to a browser, and what a server of storage calls its resources.
 */
const hidingSchemes: ReadonlySet<string> = new Set(['about', 'blob', 'filesystem', 'jar', 'mhtml', 'view-source']);

/** What a `data:` URL may hold: nothing that a browser runs. SVG and XML may have scripts in them. */
const passiveTypes = [
  'image/(?!svg)[^;,]*',
  '(?:audio|font|video)/[^;,]*',
  'text/(?:plain|csv|markdown|tab-separated-values|calendar|vcard)',
  'application/(?:json|octet-stream|pdf|zip|gzip)',
];
const PASSIVE_DATA = new RegExp(`^data:(?:${passiveTypes.join('|')})?(?:[;,]|$)`);
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;
const IGNORED = /[\u0000-\u0020\u007f-\u009f]+/g;

/**
 * Answers in one clause why a URL, URI or URI template of a server is not to be followed or shown as a link, or
 * `undefined` where nothing speaks against it. Unsafe are:
 *
 * - `javascript:`, `vbscript:`, `ms-msdt:` and `search-ms:`;
 * - `about:`, `blob:`, `filesystem:`, `jar:`, `mhtml:` and `view-source:`, unless `//` follows;
 * - `data:` of any type but images without SVG, audio, video, fonts, plain text, CSV, tab-separated values, Markdown,
 *   calendars, contacts, JSON, PDF, ZIP, gzip and bytes;
 * - any URL with a control character.
 *
 * Case does not matter, nor do the spaces and control characters that browsers skip. `file:` is no unsafe scheme: it is
 * how resources are named, and nothing here opens one. Every other scheme, relative references included, is the
 * server's own business.
 *
 * Spec: basic/index#icons (2026-07-28), whose rule for schemes is followed here for every other URL.
 */
export function whyUnsafeUrl(url: string): string | undefined {
  // First, since a server can write more of them than is looked at.
  const plain = url.replace(IGNORED, '').slice(0, 256).toLowerCase();
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(plain)?.[1] ?? '';
  const hides = hidingSchemes.has(scheme) && !plain.startsWith('//', scheme.length + 1);
  if (hides || unsafeSchemes.has(scheme)) return `it has the scheme "${scheme}", which is not safe`;
  if (scheme === 'data' && !PASSIVE_DATA.test(plain)) return 'it is a data URL of a type that can hold scripts';
  return holdsControls(url) ? 'it holds control characters' : undefined;
}

/** Answers whether a URL holds a control character. */
export function holdsControls(url: string): boolean {
  return CONTROLS.test(url);
}
