/** Texts on their way to whoever takes them. */
interface OneByOne {
  /** Hands a text on: now where none is before it, else in its turn. */
  add(text: string): void;
  /** Hands on at once what still waits. */
  drain(): void;
}

/** As many may wait: a stream that needs no socket could bring more without end. */
const MAX_WAITING = 1024;

/**
 * Creates what hands texts on in their order, one a microtask. The callers whose answers came in one piece go on one
 * after the other instead of all in step, so that the peer has the next request of the first while the last is still
 * answered, and both sides work at the same time. `take` must not throw.
 */
export function createOneByOne(take: (text: string) => void): OneByOne {
  let waiting: string[] = [];
  let next = 0;
  let isOn = false;

  return {
    add(text) {
      if (!isOn) {
        isOn = true;
        queueMicrotask(goOn);
        take(text);
        return;
      }
      waiting.push(text);
      if (waiting.length > MAX_WAITING) drain();
    },
    drain,
  };

  function goOn(): void {
    const text = waiting[next];
    if (text === undefined) {
      isOn = false;
      forget();
      return;
    }
    next += 1;
    queueMicrotask(goOn);
    take(text);
  }

  function drain(): void {
    const rest = waiting.slice(next);
    forget();
    for (const text of rest) take(text);
  }

  function forget(): void {
    if (waiting.length > 0) waiting = [];
    next = 0;
  }
}
