/** The tools of the benchmark's servers as they are listed. */
export function listedTools(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'add' : `add_${index}`,
    description: 'Adds two numbers',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  }));
}
