/**
 * Makes the function that answers what is made of a source, which it makes anew when the source has become another
 * object.
 */
export function derived<S extends object, T>(source: () => S, derive: (from: S) => T): () => T {
  let last: { readonly from: S; readonly made: T } | undefined;
  return () => {
    const from = source();
    if (last?.from !== from) last = { from, made: derive(from) };
    return last.made;
  };
}
