import { isSameJson } from '../peer/is-same-json.ts';

/** One page of a list, as it came. */
export interface KeptPage {
  /** The cursor that it was asked for with; absent for the first one. */
  readonly cursor: string | undefined;
  readonly page: { readonly ttlMs: number; readonly nextCursor?: string };
  /** When it came, in milliseconds of the clock of {@link KeptPages}. */
  readonly receivedAt: number;
}

/** The pages of a list that was read before, and where those of this reading go. */
export interface KeptPages {
  readonly now: () => number;
  /** The longest time that a page counts as fresh, whatever its server says, in milliseconds. */
  readonly maxTtlMs: number;
  /** In their order; none where nothing of the earlier reading may be used. */
  readonly before: readonly KeptPage[];
  /** Takes the pages of this reading, when it came to its end. */
  readonly keep: (pages: readonly KeptPage[]) => void;
}

/** The pages of one reading. */
export interface PageReading {
  /** Answers the next page where the one of before is still fresh. */
  takeKept(cursor: string | undefined): KeptPage['page'] | undefined;
  /**
   * Notes the next page as it was fetched. Answers whether it is not the page of before while earlier ones of before
   * stand in this reading: then the list is another one, and they may not belong to it.
   */
  contradicts(cursor: string | undefined, page: KeptPage['page']): boolean;
  /** Hands the pages over, where they age apart, and answers how long all of them are fresh, in milliseconds. */
  end(): number;
}

/**
 * Creates the reading of a list whose pages are kept each for its own time: a page that is over is fetched by its own
 * cursor, and those that are not are used again for as long as what is fetched is what was there. A page that differs
 * has moved entries across the borders of pages, so from there on nothing of before is used.
 *
 * Spec: server/utilities/caching#interaction-with-pagination (2026-07-28).
 */
export function createPageReading({ now, maxTtlMs, before, keep }: KeptPages): PageReading {
  const pages: KeptPage[] = [];
  const startedAt = now();
  let fetchedAt: number | undefined;
  let isSame = true;
  let hasUsed = false;

  return {
    takeKept(cursor) {
      const kept = isSame ? before[pages.length] : undefined;
      if (kept === undefined || kept.cursor !== cursor || !(now() < freshUntil(kept))) return undefined;
      hasUsed = true;
      pages.push(kept);
      return kept.page;
    },
    contradicts(cursor, page) {
      const kept = isSame ? before[pages.length] : undefined;
      isSame &&= kept !== undefined && isSameJson(kept.page, page);
      const receivedAt = now();
      fetchedAt ??= receivedAt;
      pages.push({ cursor, page, receivedAt });
      return !isSame && hasUsed;
    },
    end() {
      // Pages that are over together are asked for together.
      if (new Set(pages.map(({ page }) => page.ttlMs)).size > 1) keep(pages);
      if (!hasUsed) return Math.min(...pages.map(({ page }) => page.ttlMs));
      const from = fetchedAt ?? startedAt;
      return Math.max(0, Math.floor(Math.min(...pages.map(freshUntil)) - from));
    },
  };

  function freshUntil({ page, receivedAt }: KeptPage): number {
    return receivedAt + Math.min(page.ttlMs, maxTtlMs);
  }
}
