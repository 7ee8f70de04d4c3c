/** Tells the benchmark where this process listens, and its CPU time whenever it asks. */
export function reportTo(port: number): void {
  reportCpu();
  process.send?.({ port });
}

/** Tells the benchmark the CPU time of this process whenever it asks. */
export function reportCpu(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
  });
  // Without the benchmark there is nobody to serve.
  process.once('disconnect', () => process.exit(0));
}
