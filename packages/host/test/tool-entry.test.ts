import type { Tool } from '@switchyard/protocol';
import { createSchemaCompiler, SchemaError } from '@switchyard/protocol/schema';
import { describe, expect, it, vi } from 'vitest';
import type { ToolEntry } from '../src/catalog/entry.ts';
import { createToolEntry, type ToolSchemas } from '../src/catalog/tool-entry.ts';

const schemas: ToolSchemas = { input: createSchemaCompiler({ fillDefaults: true }), output: createSchemaCompiler() };
const definition: Tool = { name: 't', inputSchema: { type: 'object' } };

function entryOf(tool: Tool, compilers: ToolSchemas = schemas, last?: ToolEntry): ToolEntry {
  // The definition is frozen, so each entry is made from a copy, as each list brings a new one.
  const reading = createToolEntry('s', structuredClone(tool), compilers, last);
  if (!('entry' in reading)) throw new Error(reading.reason);
  return reading.entry;
}

describe('a tool’s entry', () => {
  it('compiles its schemas on first use and once', () => {
    const prepare = vi.fn<() => void>();
    const compile: ToolSchemas['input']['compile'] = (schema) => ({ ...schemas.input.compile(schema), prepare });
    const entry = entryOf(definition, { ...schemas, input: { compile } });
    expect(prepare).not.toHaveBeenCalled();
    entry.checks();
    entry.checks();
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('stays, with what was compiled, while the definition does not change in any member', () => {
    const first = entryOf(definition);
    expect(entryOf(definition, schemas, first)).toBe(first);
    for (const change of [
      { description: 'new' },
      { annotations: { readOnlyHint: true } },
      { outputSchema: { type: 'object' } },
    ]) {
      const second = entryOf({ ...definition, ...change }, schemas, first);
      expect(second).not.toBe(first);
      expect(second.digest).not.toBe(first.digest);
    }
  });

  it('has the same digest whatever the order of members', () => {
    expect(entryOf({ inputSchema: { type: 'object' }, name: 't' }).digest).toBe(entryOf(definition).digest);
  });

  it.each(['input', 'output'] as const)('says why when its %s schema cannot be compiled', (which) => {
    const prepare = (): never => {
      throw new SchemaError('invalid', '/p', 'too odd');
    };
    const compile: ToolSchemas['input']['compile'] = (schema) => ({ ...schemas[which].compile(schema), prepare });
    const broken = { ...schemas, [which]: { compile } };
    const checks = entryOf({ ...definition, outputSchema: { type: 'object' } }, broken).checks();
    expect(checks).toEqual({ problem: `Its ${which}Schema cannot be used. Schema at "/p": too odd` });
  });

  it.each([
    ['of another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['with a reference to nothing', { properties: { a: { $ref: '#/$defs/Missing' } } }],
    ['with a type that there is not', { properties: { a: { type: 'any' } } }],
  ])('has no output schema where it is one %s, and says so', (_name, schema) => {
    const outputSchema = { ...schema, type: 'object' as const };
    const entry = entryOf({ ...definition, outputSchema });
    expect(entry.unchecked).toMatch(/^Its outputSchema cannot be used/);
    expect(entry.exposed).not.toHaveProperty('outputSchema');
    expect(entry.definition).toMatchObject({ outputSchema });
    expect(entry.checks()).toEqual({ input: expect.any(Function) as unknown });
    expect(createToolEntry('s', { name: 't', inputSchema: outputSchema }, schemas)).toHaveProperty('reason');
  });

  it('takes schemas that hold integers beyond the range of a double', () => {
    const properties = { wide: { type: 'integer', maximum: 9_223_372_036_854_775_807n } };
    const entry = entryOf({ name: 't', inputSchema: { type: 'object', properties } } as Tool);
    expect(entry.definition).toMatchObject({ inputSchema: { properties } });
    expect(entry.checks()).toHaveProperty('input');
  });
});
