import type { Declined, UrlAccepted, UrlAsk, UrlConcern } from '@switchyard/client';
import { choose } from './choose.ts';
import type { Dialog } from './dialog.ts';

/** What a page needs beside the dialog. */
export interface PageOptions {
  /** Opens a browser. Rejects where there is none. */
  readonly openBrowser: (url: URL) => Promise<void>;
  /** Marks a text as what counts. */
  readonly emphasise: (text: string) => string;
}

const concerns: { readonly [C in UrlConcern]: string } = {
  'not-https': 'The page is not encrypted (http:): whoever is on the way can read and change it.',
  userinfo: 'Something stands before an @ in the URL, which can pass for its host.',
  punycode: 'The host is written with letters outside ASCII (xn--), some of which look like others.',
  'ip-address': 'The host is a number and no name.',
  rewritten: 'The server wrote the URL in another way than a browser reads it; it is shown as a browser does.',
};

/**
 * Asks a person for consent to open a page, and waits until he is done there. Nothing is fetched, and a browser is
 * opened only when he says so.
 *
 * Spec: client/elicitation#safe-url-handling (2026-07-28).
 */
export async function askPage(
  dialog: Dialog,
  ask: UrlAsk,
  { openBrowser, emphasise }: PageOptions,
): Promise<UrlAccepted | Declined> {
  dialog.tell(`It wants you to open a page of ${emphasise(ask.host)}:\n\n${emphasiseHost(ask, emphasise)}\n`);
  for (const concern of ask.concerns) dialog.warn(concerns[concern]);
  const consent = await choose(
    dialog,
    {
      message: `Open the page of ${ask.host}?`,
      letters: { o: 'open it in the browser', y: 'yes, I open it myself', d: 'decline', x: 'cancel' },
    },
    ask.signal,
  );
  if (consent === 'd') return { action: 'decline' };
  if (consent === 'x' || consent === undefined) return { action: 'cancel' };
  if (consent === 'o') {
    try {
      await openBrowser(new URL(ask.url));
    } catch (error) {
      dialog.warn(`${error instanceof Error ? error.message : String(error)}. Open the page yourself.`);
    }
  }
  return untilDone(dialog, ask);
}

async function untilDone(dialog: Dialog, { signal, completed }: UrlAsk): Promise<UrlAccepted | Declined> {
  const done = new AbortController();
  void completed?.then(() => done.abort());
  try {
    const letter = await choose(
      dialog,
      { message: 'Are you done there?', letters: { y: 'yes, go on', x: 'cancel' } },
      AbortSignal.any([signal, done.signal]),
    );
    return { action: letter === 'y' ? 'accept' : 'cancel' };
  } catch (error) {
    if (signal.aborted || !done.signal.aborted) throw error;
    dialog.tell('The server says that the page is done with.');
    return { action: 'accept' };
  }
}

function emphasiseHost({ url, host }: UrlAsk, emphasise: PageOptions['emphasise']): string {
  const start = url.indexOf('//') + 2;
  const rest = url.slice(start);
  const authority = rest.slice(0, /[/?#]|$/.exec(rest)?.index);
  const at = start + authority.lastIndexOf('@') + 1;
  return url.slice(0, at) + emphasise(host) + url.slice(at + host.length);
}
