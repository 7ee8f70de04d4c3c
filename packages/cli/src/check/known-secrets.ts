import { createHttpTransport, createMask } from '@switchyard/client';
import { createStdioTransport } from '@switchyard/client/node';
import { cleanText } from '@switchyard/guards';
import { isJsonObject } from '@switchyard/protocol';
import type { ChecksReport, RawConnectionTarget, RawExchange } from '@switchyard/testing';

/** Deeper than anything that a report or a transcript shows. */
const MAX_DEPTH = 512;
/** No text of a report is longer. */
const MAX_CLEANED_CHARS = 64 * 1024 * 1024;

/** Masks what the command was given to reach a server, wherever that server says it back. */
export type KnownSecretsMask = (text: string) => string;

/**
 * Creates the mask for the credentials of a target: values of headers, of the URLs and of variables that look like a
 * credential, as a client masks them in its messages.
 */
export function createKnownSecretsMask(server: RawConnectionTarget, instance?: string): KnownSecretsMask {
  const transport = 'url' in server ? createHttpTransport(server) : createStdioTransport(server);
  const other = instance === undefined ? [] : (createHttpTransport({ url: instance }).secrets ?? []);
  const mask = createMask([...(transport.secrets ?? []), ...other]);
  return (text) => {
    const masked = mask(text);
    // What shows the text drops what is invisible, and must not put a credential together that was hidden so.
    const clean = cleanText(masked, { maxChars: MAX_CLEANED_CHARS, keepNewlines: true, keepTabs: true });
    const again = mask(clean);
    return again === clean ? masked : again;
  };
}

/** Answers a report without them; what this command says of a check by itself stays. */
export function maskReport(report: ChecksReport, mask: KnownSecretsMask): ChecksReport {
  return {
    ...report,
    server: maskAny(report.server, mask, 0) as ChecksReport['server'],
    checks: report.checks.map((check) => ({
      ...check,
      evidence: mask(check.evidence),
      probes: check.probes.map(({ exchange, ...probe }) => ({
        ...probe,
        what: mask(probe.what),
        evidence: mask(probe.evidence),
        ...(exchange === undefined ? {} : { exchange: maskExchange(exchange, mask) }),
      })),
    })),
  };
}

/** Answers an exchange without them. */
export function maskExchange(exchange: RawExchange, mask: KnownSecretsMask): RawExchange {
  return maskAny(exchange, mask, 0) as RawExchange;
}

/** Names are texts as well, and a number may be a secret, too. */
function maskAny(value: unknown, mask: KnownSecretsMask, depth: number): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return mask(String(value)) === String(value) ? value : mask(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '<too deep>';
  if (Array.isArray(value)) return value.map((entry: unknown) => maskAny(entry, mask, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [mask(key), maskAny(entry, mask, depth + 1)]));
}
