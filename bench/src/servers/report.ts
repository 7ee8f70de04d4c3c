/** Tells the benchmark where this process listens, and its CPU time whenever it asks. */
export function reportTo(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
  });
  // Without the benchmark there is nobody to serve.
  process.once('disconnect', () => process.exit(0));
  process.send?.({ port });
}
