import { InputError } from '../handler/input-error.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import type { InvocationSite, TaskCall } from './invocation-site.ts';
import type { ServedDefinition } from './request-binding.ts';

/** The call that a task is made of. */
export interface CallTaskSite extends Pick<TaskCall, 'context' | 'tool' | 'isEnding' | 'become'> {
  /** The definition of the tool; `undefined` where the method makes no tasks. */
  readonly definition: ServedDefinition | undefined;
  readonly handOver: InvocationSite['handOver'];
}

/** The task that a run of a handler wants its call to become. */
export class CallTask {
  /** What `ctx.task` answers. */
  readonly handle: Promise<TaskHandle>;
  #live: LiveAsk | undefined;
  #hasBegun = false;
  #isAbandoned = false;

  constructor(site: CallTaskSite, options: TaskOptions) {
    this.handle = this.#begin(site, options);
    // A handler that does not wait for its task has none; that it could not begin must not end the process.
    this.handle.catch(() => undefined);
  }

  /** Puts asks into the task; `undefined`: they go to the caller. */
  get live(): LiveAsk | undefined {
    return this.#live;
  }

  /** Whether the call was answered with the task. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Tells that the run ended without waiting for the task: it is not the call's, since nobody will have its id. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#live = undefined;
  }

  async #begin(site: CallTaskSite, options: TaskOptions): Promise<TaskHandle> {
    const { context, tool, definition, handOver, isEnding } = site;
    if (definition?.task === undefined)
      throw new InputError(
        'not-here',
        `${tool} makes no tasks: say \`task: 'optional'\` or \`task: 'required'\` in the definition of the tool`,
      );
    const call: TaskCall = {
      context,
      tool,
      scopes: definition.scopes,
      isEnding,
      askIn: (live) => {
        if (!this.#isAbandoned) this.#live = live;
      },
      become: (created, goOn) => {
        this.#hasBegun = !this.#isAbandoned && site.become(created, goOn);
        return this.#hasBegun;
      },
    };
    return handOver(call, options);
  }
}
