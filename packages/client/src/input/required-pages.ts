import {
  type InputRequest,
  isJsonObject,
  legacyUrlElicitationRequired,
  type ProtocolError,
  type Revision,
} from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import type { InputAnswerer, InputOrigin } from './input-answerer.ts';

/** Answers whether an error of a server of a revision asks for pages. */
export function requiresPages(revision: Revision, error: ProtocolError): boolean {
  // In every other revision a tool may end with that code after it ran.
  return revision === '2025-11-25' && error.code === legacyUrlElicitationRequired && elicitationsOf(error).length > 0;
}

/**
 * Takes the user to all pages that a legacy server requires before it runs a request; then the request, which it has
 * refused, may be sent again. Rejects as the answerer does, and with code `input-refused` where the user declines one.
 *
 * Spec: 2025-11-25/client/elicitation#url-elicitation-required-error.
 */
export async function askRequiredPages(
  context: PeerContext,
  input: InputAnswerer,
  asked: { readonly error: ProtocolError; readonly origin: InputOrigin; readonly signal: AbortSignal },
): Promise<void> {
  const { error, origin, signal } = asked;
  const requests = elicitationsOf(error).map((params, index): [string, InputRequest] => [
    `elicitation-${index + 1}`,
    // Forms cannot be answered here, whatever the server writes.
    { method: 'elicitation/create', params: { ...params, mode: 'url' } },
  ]);
  const answers = await input.answer(Object.fromEntries(requests), origin, signal);
  for (const { action } of Object.values(answers)) {
    if (action === 'accept') continue;
    throw context.fail(
      'input-refused',
      `it wants a page to be opened before it runs ${origin.method ?? 'the request'}, which was answered with ` +
        `${String(action)}, so the request was not sent again.`,
      { cause: error },
    );
  }
}

function elicitationsOf({ data }: ProtocolError): readonly { readonly [key: string]: unknown }[] {
  const elicitations: unknown = isJsonObject(data) ? data['elicitations'] : undefined;
  return Array.isArray(elicitations) ? elicitations.filter(isJsonObject) : [];
}
