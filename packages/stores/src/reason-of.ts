/** What an error of a driver says, in one line, whatever was thrown. */
export function reasonOf(error: unknown): string {
  // Node tries each address of a host name and gathers the errors in one that says nothing itself.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
