import { ClientError } from '../peer/client-error.ts';
import { describeUrl } from '../http/endpoint.ts';
import type { BoundedFetch } from './bounded-fetch.ts';

/** A JSON object that was fetched, or why there is none. */
export type FetchedDocument =
  | { readonly document: Readonly<Record<string, unknown>>; readonly failure?: undefined }
  | { readonly document?: undefined; readonly failure: Failure };

/** Why there is no document. */
export interface Failure {
  readonly reason: string;
  /** Whether there may be one all the same: the host is out of reach or broken. */
  readonly isOutage: boolean;
}

const MAX_REDIRECTS = 3;

/**
 * Fetches a metadata document without credentials. Redirects are followed within the origin only, at most three. What
 * is no JSON object with status 200 is a failure with its reason. It rejects with the reason of the signal only.
 */
export async function getDocument(fetch: BoundedFetch, url: string, signal: AbortSignal): Promise<FetchedDocument> {
  let next = url;
  for (let redirects = 0; ; redirects += 1) {
    let response: Response;
    try {
      response = await fetch(next, { method: 'GET', headers: { accept: 'application/json' }, signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof ClientError)) throw error;
      return failed(error.reason, error.code !== 'authorization');
    }
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const target = URL.parse(location, next);
      if (target === null || target.origin !== new URL(next).origin || redirects === MAX_REDIRECTS) {
        return failed(`${describeUrl(next)} redirects to another place`);
      }
      next = target.href;
      continue;
    }
    if (response.status !== 200) {
      return failed(
        `${describeUrl(next)} answered HTTP ${response.status}`,
        response.status >= 500 || response.status === 429,
      );
    }
    const document = parseObject(await response.text());
    if (document !== undefined) return { document };
    return failed(`${describeUrl(next)} answered no JSON object`);
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // No JSON, such as the page of a website that answers every path.
    return undefined;
  }
}

function failed(reason: string, isOutage = false): FetchedDocument {
  return { failure: { reason, isOutage } };
}
