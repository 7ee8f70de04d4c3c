import type { EffectScope, Effects } from '../effects/once.ts';
import { InputError } from '../handler/input-error.ts';
import type { OnceOptions } from '../handler/once-options.ts';
import type { HandlerRun } from './handler-run.ts';

/** Runs an effect of a handler's run at most once. See `RequestContext.once`. */
export function runEffect(
  run: HandlerRun,
  effects: Effects | undefined,
  {
    key,
    work,
    options,
  }: { readonly key: string; readonly work: () => unknown; readonly options: OnceOptions<unknown> },
  scopeOf: () => EffectScope,
): Promise<unknown> {
  const what = `the effect "${key}"`;
  const { reconcile } = options;
  return run.watch(what, async () => {
    if (effects === undefined)
      throw new InputError('store', 'effects that run once need a store: pass `records` to createServer');
    return run.work(() =>
      effects.once(scopeOf(), key, () => run.inside(what, work), {
        ...options,
        ...(reconcile === undefined ? {} : { reconcile: () => run.inside(what, reconcile) }),
      }),
    );
  });
}
