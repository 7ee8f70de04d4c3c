import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { format, resolveConfig } from 'prettier';
import { assertType, describe, expect, it } from 'vitest';
import {
  type Configuration,
  type ConfigurationInput,
  configurationSchema,
  parseConfiguration,
} from '@switchyard/config';
import type { ConfigurationSchema } from '../src/schema-type.ts';

interface Declared {
  readonly path: readonly string[];
  readonly schema: ConfigurationSchema;
}

/** Every schema of the tree, under a path of keys; `*` stands for a key of the user's choice. */
function declared(schema: ConfigurationSchema, path: readonly string[] = []): Declared[] {
  const below =
    schema.type === 'array'
      ? declared(schema.items, [...path, '*'])
      : schema.type === 'object'
        ? [
            ...Object.entries(schema.properties ?? {}).flatMap(([key, child]) => declared(child, [...path, key])),
            ...(schema.additionalProperties === false ? [] : declared(schema.additionalProperties, [...path, '*'])),
          ]
        : [];
  return [{ path, schema }, ...below];
}

const all = declared(configurationSchema);

describe('configurationSchema', () => {
  // `npx vitest run packages/config -u` writes the file anew after a change of the object.
  it('is the published file', async () => {
    const file = fileURLToPath(new URL('../schema/switchyard.schema.json', import.meta.url));
    const options = { ...(await resolveConfig(file)), parser: 'json' };
    await expect(await format(JSON.stringify(configurationSchema), options)).toMatchFileSnapshot(file);
  });

  it('is a valid draft-07 schema', () => {
    expect(new Ajv({ strict: false }).validateSchema(configurationSchema)).toBe(true);
  });

  it('describes every key', () => {
    expect(all.filter(({ schema }) => schema.description.length < 10).map(({ path }) => path)).toEqual([]);
  });

  it('has defaults that it accepts itself', () => {
    const withDefault = all.filter(({ schema }) => schema.default !== undefined);
    expect(withDefault.length).toBeGreaterThan(15);
    for (const { path, schema } of withDefault) {
      expect([path, new Ajv({ strict: false }).validate(schema, schema.default)]).toEqual([path, true]);
    }
  });

  it('gives every pattern words of its own', () => {
    const silent = all.filter(
      ({ schema }) => schema.type === 'string' && schema.pattern && !schema.patternErrorMessage,
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('closes every map with fixed keys', () => {
    const open = all.filter(
      ({ schema }) => schema.type === 'object' && schema.properties && schema.additionalProperties,
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it.each(all.filter(({ path }) => path.length > 0).map(({ path, schema }) => [path.join('.'), path, schema] as const))(
    'is what the checker knows of %s',
    (_, path, schema) => {
      const wrong = schema.type === 'array' || schema.type === 'object' ? true : [];
      const input = path.reduceRight<unknown>((inner, key, index) => {
        const parent = all.find((one) => one.path.join('.') === path.slice(0, index).join('.'))?.schema;
        return parent?.type === 'array' ? [inner] : { [key === '*' ? 'x' : key]: inner };
      }, wrong);
      expect(() => parseConfiguration(JSON.stringify(input), { path: '/c/s.json', env: {} })).toThrow(
        /must be .*found/,
      );
    },
  );
});

describe('a checked configuration', () => {
  const full = {
    $schema: 's.json',
    mcpServers: {
      program: { type: 'stdio', command: 'x', args: ['y'], env: { A: 'b' }, cwd: '.', timeoutMs: 1, disabled: false },
      remote: { type: 'remote', url: 'http://h', headers: { A: 'b' }, timeoutMs: 1 },
    },
    agents: { r: { description: 'd', allow: ['program__*'], ask: [], deny: [] } },
    gateway: { host: 'h', port: 1, path: '/p', anonymousAgent: 'r', allowedOrigins: ['http://h'], allowedHosts: ['h'] },
    limits: {
      callTimeoutMs: 1,
      startTimeoutMs: 1,
      maxResultBytes: 1024,
      maxBodyBytes: 1024,
      maxArgumentsBytes: 1024,
      maxConcurrentCalls: 1,
    },
    audit: { path: 'a.db', durability: 'disk' },
  } as const satisfies ConfigurationInput;

  const keysUnder = (prefix: string): string[] =>
    all
      .filter(({ path }) => path.length > 0 && path.slice(0, -1).join('.') === prefix && path.at(-1) !== '*')
      .map(({ path }) => path.at(-1) ?? '')
      .toSorted();
  const keysOf = (...values: readonly object[]): string[] => [...new Set(values.flatMap(Object.keys))].toSorted();

  it('carries every declared key, from the text to the outcome', () => {
    const { configuration } = parseConfiguration(JSON.stringify(full), { path: '/c/s.json', env: {} });
    const { mcpServers, agents, gateway, limits, audit } = configuration;
    expect(keysUnder('')).toEqual(keysOf(full));
    expect([...keysOf(...Object.values(mcpServers)), 'disabled'].toSorted()).toEqual(keysUnder('mcpServers.*'));
    expect(keysOf(...Object.values(agents))).toEqual(keysUnder('agents.*'));
    expect(keysOf(gateway)).toEqual(keysUnder('gateway'));
    expect(keysOf(limits)).toEqual(keysUnder('limits'));
    expect(keysOf(audit)).toEqual(keysUnder('audit'));
    expect({ gateway, limits, agents }).toEqual({ gateway: full.gateway, limits: full.limits, agents: full.agents });
  });

  it('is typed as it is declared', () => {
    const { configuration } = parseConfiguration(JSON.stringify(full), { path: '/c/s.json', env: {} });
    assertType<number>(configuration.gateway.port);
    assertType<string | undefined>(configuration.gateway.anonymousAgent);
    assertType<'process' | 'disk'>(configuration.audit.durability);
    assertType<readonly string[]>(configuration.agents['r']?.allow ?? []);
    // @ts-expect-error an agent may be absent
    assertType<readonly string[] | undefined>(configuration.agents['r'].allow);
    // @ts-expect-error the anonymous agent may be absent
    assertType<string>(configuration.gateway.anonymousAgent);
    // @ts-expect-error nothing may be changed
    expect(() => (configuration.gateway.port = 1)).toThrow(TypeError);
    // @ts-expect-error no such durability
    const wrong: ConfigurationInput = { audit: { durability: 'never' } };
    const right: ConfigurationInput = { mcpServers: { a: { url: 'http://h', type: 'streamableHttp' } } };
    expect(Object.keys({ ...wrong, ...right })).toEqual(['audit', 'mcpServers']);
    assertType<Configuration>(configuration);
  });
});
