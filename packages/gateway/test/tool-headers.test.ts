import { expect, it } from 'vitest';
import { createToolHeaders } from '../src/tool-headers.ts';

it('warns a thousand times at most of tools whose names change with each list', () => {
  let warnings = 0;
  const count = (): void => void (warnings += 1);
  const { servable } = createToolHeaders({ info: () => undefined, warn: count, error: count });
  const inputSchema = { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } as const;
  for (let round = 0; round < 5; round += 1) {
    const tools = Array.from({ length: 400 }, (_, index) => {
      const name = `s__${round}-${index}`;
      return { name, inputSchema, server: 's', originalName: name };
    });
    expect(servable(tools)).toEqual([]);
  }
  expect(warnings).toBe(1000);
});
