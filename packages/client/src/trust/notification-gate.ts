import { isJsonObject, metaKeys, type Notification, notifications } from '@switchyard/protocol';
import type { Clock } from '../peer/clock.ts';
import { digestOf } from '../peer/digest.ts';
import { weightOf } from '../peer/weight-of.ts';

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
  /**
   * Told that some were dropped for lack of room, so that anything may have changed: at the first of them, and for all
   * that follow when the gate looks next at what waits.
   */
  readonly onLoss?: (() => void) | undefined;
}

/** How many different ones wait. */
const MAX_WAITING = 1000;
/** What those that wait may weigh together, roughly in characters: one alone may be as large as a message. */
const MAX_WAITING_WEIGHT = 2 * 1024 * 1024;
/** The shortest time between two looks at what waits, in milliseconds. */
const MIN_PAUSE_MS = 10;

/**
 * Creates a gate that bounds a flood: a token bucket. Beyond its rate log messages are dropped; of everything else the
 * latest of each kind waits and passes when there is room, so that no change is lost: two are of one kind when they have
 * the same method, URI, task, subscription and token. Of more than 1,000 kinds that wait, or of more than 2 Mi
 * characters, the oldest is dropped, and its owner is told that something was.
 */
export function createNotificationGate({ clock, perSecond, deliver, onFlood, onLoss }: GateOptions): NotificationGate {
  const waiting = new Map<string, { readonly notification: Notification; readonly weight: number }>();
  let weightOfWaiting = 0;
  let isLossTold = false;
  let isLossOpen = false;
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
      if (how === 'deliver') {
        tellLoss();
        for (const { notification } of waiting.values()) deliver(notification);
      }
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
    const weight = weightOf(notification, MAX_WAITING_WEIGHT);
    remove(kind);
    waiting.set(kind, { notification, weight });
    weightOfWaiting += weight;
    while (waiting.size > MAX_WAITING || weightOfWaiting > MAX_WAITING_WEIGHT) {
      const [oldest] = waiting.keys();
      if (oldest === undefined) break;
      remove(oldest);
      lose();
    }
    arm();
  }

  function remove(kind: string): void {
    weightOfWaiting -= waiting.get(kind)?.weight ?? 0;
    waiting.delete(kind);
  }

  function lose(): void {
    if (isLossTold) {
      isLossOpen = true;
      return;
    }
    isLossTold = true;
    onLoss?.();
  }

  function tellLoss(): void {
    isLossTold = false;
    if (!isLossOpen) return;
    isLossOpen = false;
    onLoss?.();
  }

  function arm(): void {
    const untilTokenMs = ((1 - tokens) * 1000) / perSecond;
    disarm ??= clock.after(Math.max(MIN_PAUSE_MS, untilTokenMs), () => {
      disarm = undefined;
      fill();
      tellLoss();
      for (const [kind, { notification }] of waiting) {
        if (tokens < 1) break;
        remove(kind);
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
  const kind = names.map(nameOf).join('\n');
  // Cut off, two of different kinds would be one.
  return kind.length <= MAX_KIND_CHARS ? kind : digestOf('notification-kind', kind);
}

function nameOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${value}` : '';
}
