import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, type ConfigurationFormat, parseConfiguration } from '@switchyard/config';

const SECRET = 'Zq7-secret-Zq7';
const ENV = { TOKEN: SECRET, BROKEN: `${SECRET}\n\0`, EMPTY: '' };
const BUDGET = { interruptAfterTimeLimit: 4_000, markInterruptAsFailure: false };

const YAML_TEXT = `mcpServers:
  a: &a
    command: "\${TOKEN}"
    args: ["\${BROKEN}", '\${NOPE:-x}', plain]
    env: { A: "\${TOKEN}", B: "\${EMPTY}" }
  b:
    url: "https://\${TOKEN}/mcp"
    headers: { X: "\${BROKEN}" }
  c: { <<: *a, cwd: "\${TOKEN}", timeoutMs: 5, disabled: false }
agents:
  r: { description: d, allow: ["a__*", "resource:b:*"], deny: [prompt:c__x] }
gateway: { port: 0, anonymousAgent: r, allowedOrigins: ["https://h"] }
limits: { callTimeoutMs: 9 }
audit: { path: x.db, durability: disk }
`;

const JSON_TEXT = JSON.stringify(
  {
    mcpServers: {
      a: { command: '${TOKEN}', args: ['${BROKEN}', '${NOPE}'], env: { A: '${TOKEN}' } },
      b: { url: '${TOKEN}', headers: { X: '${BROKEN}' } },
    },
    agents: { r: { allow: ['a__*'] } },
    gateway: { anonymousAgent: 'r' },
  },
  undefined,
  1,
);

const PIECES = [
  ['{', '}', '[', ']', ':', ': ', ',', '\n', '\n  ', '\n    ', '- ', '? ', '"', "'", '#', '|', '>', '&a ', '*a '],
  ['<<: ', '!x ', '!!str ', '%YAML 1.1\n', '---\n', '...\n', '\t', '\r\n', '\uFEFF', '\0', '\\u', '\ud800', '/*', '*/'],
  ['mcpServers', 'agents', 'gateway', 'limits', 'audit', 'command', 'url', 'args', 'env', 'headers', 'type', 'allow'],
  [
    '__proto__',
    'constructor',
    'true',
    'null',
    '~',
    '1',
    '1e20',
    '-1.5e999',
    '.nan',
    '${TOKEN}',
    '${BROKEN}',
    '${',
    '$$',
    'a',
  ],
].flat();

const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''));

/** A sound text with a few pieces of it replaced, so that most of what follows the syntax is reached too. */
const mutated = fc
  .tuple(
    fc.constantFrom(YAML_TEXT, JSON_TEXT),
    fc.array(fc.tuple(fc.nat(2000), fc.nat(12), fc.constantFrom(...PIECES, '')), { maxLength: 4 }),
  )
  .map(([text, edits]) =>
    edits.reduce((current, [at, length, piece]) => {
      const from = at % (current.length + 1);
      return current.slice(0, from) + piece + current.slice(from + length);
    }, text),
  );

const text = fc.oneof(soup, mutated, mutated, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
const format = fc.constantFrom<ConfigurationFormat>('yaml', 'json', 'jsonc');

function read(content: string, as: ConfigurationFormat): unknown {
  const options = { path: '/c/switchyard', format: as, env: ENV, findCredential: () => ({ kind: 'key' }) };
  try {
    return parseConfiguration(content, options);
  } catch (error) {
    return error;
  }
}

describe('any text', () => {
  it('gives a configuration, or a ConfigurationError with at least one problem inside the text', () => {
    fc.assert(
      fc.property(text, format, (content, as) => {
        const outcome = read(content, as);
        if (!(outcome instanceof Error)) return;
        expect(outcome).toBeInstanceOf(ConfigurationError);
        const { problems } = outcome as ConfigurationError;
        expect(problems.length).toBeGreaterThan(0);
        const lines = content.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
        for (const { line, column } of problems) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 2);
        }
      }),
      { numRuns: 4000, ...BUDGET },
    );
  });

  it('never brings a value of the environment into a problem or a warning', () => {
    fc.assert(
      fc.property(text, format, (content, as) => {
        const outcome = read(content, as);
        const told =
          outcome instanceof ConfigurationError
            ? outcome.message + JSON.stringify(outcome.problems)
            : JSON.stringify((outcome as { warnings: unknown }).warnings);
        expect(told).not.toContain('Zq7');
      }),
      { numRuns: 4000, ...BUDGET },
    );
  });

  it('gives the same configuration in YAML and in JSON', () => {
    const server = fc.oneof(
      fc.record(
        {
          command: fc.constantFrom('node', 'x y'),
          args: fc.array(fc.string()),
          env: fc.dictionary(fc.stringMatching(/^[A-Z]+$/), fc.string()),
        },
        { requiredKeys: ['command'] },
      ),
      fc.record(
        { url: fc.constant('https://h/mcp'), timeoutMs: fc.integer({ min: 1, max: 9 }) },
        { requiredKeys: ['url'] },
      ),
    );
    const input = fc.record({ mcpServers: fc.dictionary(fc.stringMatching(/^[a-z0-9-]{1,9}$/), server) });
    fc.assert(
      fc.property(input, (value) => {
        const content = JSON.stringify(value)
          .replaceAll('$', '$$$$')
          .replaceAll(String.raw`\u0000`, '')
          .replaceAll('\0', '');
        expect(read(content, 'yaml')).toMatchObject({
          configuration: (read(content, 'json') as { configuration: object }).configuration,
        });
      }),
      BUDGET,
    );
  });
});
