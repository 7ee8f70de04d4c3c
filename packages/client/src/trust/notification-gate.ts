import { isJsonObject, metaKeys, type Notification, notifications } from '@switchyard/protocol';
import type { Clock } from '../peer/clock.ts';

/** Lets so many notifications through as its owner can take. */
export interface NotificationGate {
  take(notification: Notification): void;
  /** Hands over what was held back, or forgets it; nothing comes through afterwards. */
  end(how: 'deliver' | 'forget'): void;
}

interface GateOptions {
  readonly clock: Clock;
  /** How many pass in a second; as many may come at once. */
  readonly perSecond: number;
  /** Takes what passes. It does not throw. */
  readonly deliver: (notification: Notification) => void;
  /** Told once, when there are more for the first time. */
  readonly onFlood: () => void;
}

/** How many different ones wait. */
const MAX_WAITING = 1000;
/** The shortest time between two looks at what waits, in milliseconds. */
const MIN_PAUSE_MS = 10;

/**
 * Creates a gate that bounds a flood: a token bucket. Beyond its rate log messages are dropped; of everything else the
 * latest of each kind waits and passes when there is room, so that no change is lost: two are of one kind when they have
 * the same method, URI, task, subscription and token. Of more than 1,000 kinds that wait the oldest is dropped.
 */
export function createNotificationGate({ clock, perSecond, deliver, onFlood }: GateOptions): NotificationGate {
  const waiting = new Map<string, Notification>();
  let tokens = perSecond;
  let filledAt = clock.now();
  let disarm: (() => void) | undefined;
  let isFlooded = false;
  let isOver = false;

  return {
    take(notification) {
      if (isOver) return;
      fill();
      if (waiting.size === 0 && tokens >= 1) return pass(notification);
      if (!isFlooded) onFlood();
      isFlooded = true;
      if (notification.method === notifications.message.method) return;
      hold(notification);
    },
    end(how) {
      isOver = true;
      disarm?.();
      if (how === 'deliver') for (const notification of waiting.values()) deliver(notification);
      waiting.clear();
    },
  };

  function fill(): void {
    const now = clock.now();
    tokens = Math.min(perSecond, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
  }

  function pass(notification: Notification): void {
    tokens -= 1;
    deliver(notification);
  }

  function hold(notification: Notification): void {
    const kind = kindOf(notification);
    waiting.delete(kind);
    waiting.set(kind, notification);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    arm();
  }

  function arm(): void {
    const untilTokenMs = ((1 - tokens) * 1000) / perSecond;
    disarm ??= clock.after(Math.max(MIN_PAUSE_MS, untilTokenMs), () => {
      disarm = undefined;
      fill();
      for (const [kind, notification] of waiting) {
        if (tokens < 1) break;
        waiting.delete(kind);
        pass(notification);
      }
      if (waiting.size > 0) arm();
    });
  }
}

const MAX_KIND_CHARS = 2000;
const TELLING = ['uri', 'taskId', 'progressToken', 'requestId', 'elicitationId'];

function kindOf({ method, params = {} }: Notification): string {
  const meta = params['_meta'];
  const subscription = isJsonObject(meta) ? meta[metaKeys.subscriptionId] : undefined;
  const names = [method, subscription, ...TELLING.map((member) => params[member])];
  return names.map(nameOf).join('\n').slice(0, MAX_KIND_CHARS);
}

function nameOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${value}` : '';
}
