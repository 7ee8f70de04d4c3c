/** Runs a callback in a macrotask of its own, before any timer where the runtime can. */
export const macrotask: (run: () => void) => void =
  typeof setImmediate === 'function' ? (run) => void setImmediate(run) : (run) => void setTimeout(run, 0);
