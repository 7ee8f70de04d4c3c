const mend = 'npm run api writes it anew';

/**
 * Answers how the reports that are committed differ from those that were just made, both by file name: a line for each
 * report that is missing, left over or other, and the lines that are gone and new.
 */
export function compareReports(
  stored: ReadonlyMap<string, string>,
  made: ReadonlyMap<string, string>,
): readonly string[] {
  const found: string[] = [];
  for (const [name, now] of made) {
    const before = stored.get(name);
    if (before === undefined) found.push(`etc/${name} is missing; ${mend}`);
    else if (before !== now) {
      found.push(`etc/${name} is not the surface of the source; ${mend}`, ...differences(before, now));
    }
  }
  for (const name of stored.keys()) if (!made.has(name)) found.push(`etc/${name} is of no entry point; ${mend}`);
  return found;
}

function differences(before: string, now: string): readonly string[] {
  const [old, current] = [before.split('\n'), now.split('\n')];
  return [
    ...old.filter((line) => !current.includes(line)).map((line) => `  - ${line}`),
    ...current.filter((line) => !old.includes(line)).map((line) => `  + ${line}`),
  ];
}
