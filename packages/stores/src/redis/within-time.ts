/**
 * Answers what `work` does, or rejects with `late()` when that takes longer than `timeoutMs`; what becomes of `work`
 * afterwards is then nobody's concern.
 */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
