import type { HttpHead } from '../exchange/http-exchange.ts';

/** Answers one sentence on why a body cannot be read, or `undefined`: it must be JSON in UTF-8, and not compressed. */
export function mediaTypeProblem(head: HttpHead): string | undefined {
  const type = head.header('content-type');
  if (type === 'application/json') return encodingProblem(head);
  const [essence = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json') return 'The Content-Type must be application/json';
  if (!parameters.every(allowsUtf8)) return 'The body must be encoded as UTF-8';
  return encodingProblem(head);
}

const utf8 = new Set(['utf-8', '"utf-8"', 'utf8', '"utf8"']);

/** Whether a parameter of the media type is another one than `charset`, or names UTF-8. */
function allowsUtf8(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=');
  return name.trim() !== 'charset' || utf8.has(value.join('=').trim());
}

function encodingProblem(head: HttpHead): string | undefined {
  const encoding = head.header('content-encoding');
  return encoding === undefined || encoding.toLowerCase() === 'identity'
    ? undefined
    : 'The body must not be compressed';
}
