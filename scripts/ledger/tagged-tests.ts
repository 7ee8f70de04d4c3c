import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const tag = /\[([A-Z]{2,}-\d\d)\]/g;
const runners: ReadonlySet<string | undefined> = new Set(['it', 'test', 'describe']);
/** What keeps a test from being run. */
const skips: ReadonlySet<string | undefined> = new Set(['skip', 'todo']);

/** A part of a program, as the parser answers it. */
interface Node {
  readonly type?: string;
  readonly [member: string]: unknown;
}

/**
 * Answers the ids of requirements that stand in brackets in the titles of the tests of a file, or in the rows that
 * stand for `%s` in one. Tests that are skipped say nothing, nor does a file of which only some tests are run.
 */
export function tagsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (text.match(tag) === null) return found;
  const constants = new Map<string, unknown>();
  let isFocused = false;

  function visit(value: unknown): void {
    if (!isNode(value)) return;
    const constant = value.type === 'VariableDeclarator' ? nameOf(value['id']) : undefined;
    if (constant !== undefined) constants.set(constant, value['init']);
    const test = testOf(value);
    if (test?.names.includes('only') === true) isFocused = true;
    if (test?.names.some((name) => skips.has(name)) === true) return;
    if (test !== undefined) {
      const texts = textsIn(test.title, constants);
      if (texts.some((part) => part.includes('%s'))) texts.push(...textsIn(test.rows, constants));
      for (const [, id = ''] of texts.join('\n').matchAll(tag)) found.add(id);
    }
    for (const member of Object.values(value)) visit(member);
  }

  visit(parseSync(text, { syntax: 'typescript', target: 'es2024' }));
  return isFocused ? new Set() : found;
}

/** A call that makes a test, or a group of them. */
interface TestCall {
  readonly names: readonly (string | undefined)[];
  readonly title: unknown;
  /** What `each` was given. */
  readonly rows: unknown;
}

function testOf({ type, callee, arguments: given }: Node): TestCall | undefined {
  if (type !== 'CallExpression' || !isNode(callee)) return undefined;
  const names = namesOf(callee);
  // `it.each(rows)` is a test only with the title that it is called with in turn.
  if (!runners.has(names[0]) || nameOf(callee['property']) === 'each') return undefined;
  return { names, title: (given as readonly unknown[])[0], rows: callee['arguments'] };
}

/** The names that lead to a function: of `describe.each(rows)` they are `describe` and `each`. */
function namesOf(callee: Node): readonly (string | undefined)[] {
  if (callee.type === 'CallExpression') return namesOf(callee['callee'] as Node);
  if (callee.type !== 'MemberExpression') return [nameOf(callee)];
  return [...namesOf(callee['object'] as Node), nameOf(callee['property'])];
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' ? String(value['value']) : undefined;
}

/** The texts of an expression, and of the constants that it names. */
function textsIn(value: unknown, constants: ReadonlyMap<string, unknown>): string[] {
  if (!isNode(value)) return [];
  if (value.type === 'StringLiteral') return [String(value['value'])];
  if (value.type === 'TemplateElement') return [String(value['cooked'])];
  const constant = constants.get(nameOf(value) ?? '');
  // Without the others, so that two that name each other end.
  if (constant !== undefined) return textsIn(constant, new Map());
  return Object.values(value).flatMap((member) => textsIn(member, constants));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Answers for each id the test files of the workspace at `root` whose test names hold it, sorted. */
export function findTaggedTests(root: string): ReadonlyMap<string, readonly string[]> {
  const files = globSync(['packages/*/test/**/*.ts', 'examples/*/test/**/*.ts'], { cwd: root });
  const found = new Map<string, string[]>();
  for (const file of files.toSorted()) {
    for (const id of tagsIn(readFileSync(join(root, file), 'utf8'))) {
      const known = found.get(id);
      if (known === undefined) found.set(id, [file]);
      else known.push(file);
    }
  }
  return found;
}
