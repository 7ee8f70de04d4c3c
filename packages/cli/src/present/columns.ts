/** Answers rows as aligned columns, two spaces apart. The last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ''): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)));
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}
