import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { mebibytesOf } from './mebibytes-of.ts';

/** Creates a function that collects garbage and answers how many MiB of the heap of this process are left in use. */
export function createHeapGauge(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return mebibytesOf(process.memoryUsage().heapUsed);
  };
}
