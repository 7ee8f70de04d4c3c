import { MASK } from '@switchyard/guards';
import { decodeHeaderValue, httpHeaders, type JsonObject, methodOf } from '@switchyard/protocol';

import type { RawClient, RawExchange } from '../raw/raw-client.ts';
import { cleanObject, cleanText, cleanValue } from './clean-value.ts';
import { createPlaceholders, type Placeholders } from './placeholders.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

/** Headers of a message whose values may be kept: those that mirror it. All others are named, and masked. */
const MIRRORED = /^mcp-(?:protocol-version|method|name|param-.+)$/;

/** Cut once it is clean: half of a secret would not be known for one. */
const MAX_STRAY_CHARS = 200;
const MEDIA_TYPE = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}$/;

/**
 * Makes a transcript of what a raw client exchanged. Ids are renumbered from 1 in the order in which they were sent;
 * what a server answers under another id is kept as `<other id>`. See `cleanValue` for what else is replaced.
 */
export function toTranscript(
  { transport, exchanges }: Pick<RawClient, 'transport' | 'exchanges'>,
  server?: JsonObject,
): Transcript {
  const places = createPlaceholders();
  const entries = exchanges.map((exchange, index) => toEntry(exchange, index + 1, places));
  return {
    head: {
      format: 'switchyard-transcript/1',
      transport,
      ...(server === undefined ? {} : { server: cleanObject(server, places) }),
    },
    entries,
  };
}

function toEntry(exchange: RawExchange, number: number, places: Placeholders): TranscriptEntry {
  const { label, instance, sent, sentHeaders, received, stray, status, headers } = exchange;
  const type = headers?.['content-type']?.split(';')[0]?.trim().toLowerCase();
  const contentType = type === undefined || MEDIA_TYPE.test(type) ? type : '<no media type>';
  return {
    label: cleanText(label, places),
    instance,
    sent: {
      message: { ...cleanObject(sent, places), ...(Object.hasOwn(sent, 'id') ? { id: number } : {}) },
      ...(sentHeaders === undefined ? {} : { headers: cleanHeaders(sentHeaders, sent['method'], places) }),
    },
    received: {
      ...(status === undefined ? {} : { status }),
      ...(contentType === undefined ? {} : { contentType }),
      messages: received.map((message) => withId(cleanObject(message, places), message, sent['id'], number)),
      ...(stray.length === 0 ? {} : { stray: stray.map((text) => cleanText(text, places).slice(0, MAX_STRAY_CHARS)) }),
    },
  };
}

function withId(cleaned: JsonObject, { id }: JsonObject, sentId: unknown, number: number): JsonObject {
  if (id === undefined || id === null) return cleaned;
  return { ...cleaned, id: id === sentId ? number : '<other id>' };
}

function cleanHeaders(headers: { readonly [name: string]: string }, method: unknown, places: Placeholders): JsonObject {
  // What a header repeats is as secret as the member that it comes from: the id of a task, say.
  const nameFrom = methodOf(String(method))?.nameFrom;
  const entries = Object.entries(headers)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([header, value]) => {
      const member = header === httpHeaders.name.key && nameFrom !== undefined ? nameFrom : header;
      return [
        header,
        MIRRORED.test(header) ? cleanValue(decodeHeaderValue(value) ?? value, places, member) : MASK,
      ] as const;
    });
  return Object.fromEntries<unknown>(entries);
}
