import { isJsonObject, type Notification, notifications } from '@switchyard/protocol';

/** The pages that users are at, by the ids that a legacy server gave them. */
export interface OpenPages {
  /** Notes a page until it is closed. */
  open(elicitationId: string): { readonly completed: Promise<void>; close(): void };
  /** Takes every notification of the server; those for pages that are not open are ignored. */
  observe(notification: Notification): void;
}

/** Creates the list. Spec: 2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation. */
export function createOpenPages(): OpenPages {
  const pages = new Map<string, Set<() => void>>();

  return {
    open(elicitationId) {
      const completed = Promise.withResolvers<void>();
      const waiting = pages.get(elicitationId) ?? new Set();
      pages.set(elicitationId, waiting.add(completed.resolve));
      return {
        completed: completed.promise,
        close() {
          waiting.delete(completed.resolve);
          if (waiting.size === 0) pages.delete(elicitationId);
        },
      };
    },
    observe({ method, params }) {
      if (method !== notifications.elicitationCompleted.method || !isJsonObject(params)) return;
      const { elicitationId } = params;
      if (typeof elicitationId === 'string') for (const complete of pages.get(elicitationId) ?? []) complete();
    },
  };
}
