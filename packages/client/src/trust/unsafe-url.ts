/** Schemes whose URLs run or show what stands in them, or hand it to another program, when somebody follows them. */
const unsafeSchemes: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'filesystem',
  'jar',
  'javascript',
  'mhtml',
  'ms-msdt',
  'search-ms',
  'vbscript',
  'view-source',
]);

/** What a `data:` URL may hold: nothing that a browser runs. SVG and XML may have scripts in them. */
const PASSIVE_DATA =
  /^data:(?:(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/(?:json|octet-stream)\b)|[;,])/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;
const IGNORED = /[\u0000-\u0020\u007f-\u009f]+/g;

/**
 * Answers in one clause why a URL, URI or URI template of a server is not to be followed or shown as a link, or
 * `undefined` where nothing speaks against it. Unsafe are `javascript:`, `vbscript:`, `data:` of any type that a browser
 * runs (HTML, SVG, XML, scripts), `blob:`, `filesystem:`, `view-source:`, `about:`, `jar:`, `mhtml:`, `ms-msdt:` and
 * `search-ms:`, whatever their case and with the spaces and control characters in them that browsers skip; and any URL
 * with a control character. `file:` is no unsafe scheme: it is how resources are named, and nothing here opens one.
 * Every other scheme, relative references included, is the server's own business.
 *
 * Spec: basic/index#icons (2026-07-28), whose rule for schemes is followed here for every other URL.
 */
export function whyUnsafeUrl(url: string): string | undefined {
  const plain = url.slice(0, 256).replace(IGNORED, '').toLowerCase();
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(plain)?.[1];
  if (scheme !== undefined && unsafeSchemes.has(scheme)) return `it has the scheme "${scheme}", which is not safe`;
  if (scheme === 'data' && !PASSIVE_DATA.test(plain)) return 'it is a data URL of a type that can hold scripts';
  return CONTROLS.test(url) ? 'it holds control characters' : undefined;
}
