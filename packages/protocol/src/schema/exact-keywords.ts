import { type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv/dist/2020.js';
import { clip } from '../clip.ts';
import { isDecimalMultiple } from './decimal-multiple.ts';
import { JsonSet } from './json-set.ts';
import { type StepBudget, spend } from './step-budget.ts';

/**
 * Replacements for four keywords of ajv, whose own are quadratic (`uniqueItems`), throw where a member is called like a
 * method of Object.prototype (`const`, `enum`), or calculate in binary (`multipleOf`). An error of `const` and `enum`
 * carries the allowed values as a text in `params.allowed`.
 */
export function createExactKeywords(budget: StepBudget): CodeKeywordDefinition[] {
  const charge = (steps: number): void => spend(budget, steps);
  const checks: Check[] = [];
  /** One list for all checks, because ajv takes quadratic time over many things that the code refers to. */
  const passIf = (cxt: KeywordCxt, check: Check, allowed: string): void => {
    const index = checks.push(check) - 1;
    cxt.setParams({ allowed: _`${allowed}` });
    cxt.pass(_`${cxt.gen.scopeValue('obj', { ref: checks })}[${index}](${cxt.data})`);
  };
  return [
    {
      keyword: 'const',
      code: (cxt) => passIf(cxt, isOneOf([cxt.schema], charge), showValues([cxt.schema])),
      error: allowedError,
    },
    {
      keyword: 'enum',
      schemaType: 'array',
      code: (cxt: KeywordCxt & { schema: readonly unknown[] }) =>
        passIf(cxt, isOneOf(cxt.schema, charge), showValues(cxt.schema)),
      error: allowedError,
    },
    {
      keyword: 'multipleOf',
      type: 'number',
      schemaType: 'number',
      code: (cxt: KeywordCxt & { schema: number }) => {
        const divisor = cxt.schema;
        passIf(cxt, (value) => typeof value === 'number' && isDecimalMultiple(value, divisor), String(divisor));
      },
      error: allowedError,
    },
    {
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      code: (cxt) => {
        if (cxt.schema === true) passIf(cxt, (value) => Array.isArray(value) && areUnique(value, charge), '');
      },
      error: allowedError,
    },
  ];
}

type Check = (value: unknown) => boolean;

/** Steps for remembering one item. */
const stepsPerItem = 32;

const allowedError: NonNullable<CodeKeywordDefinition['error']> = {
  message: '',
  params: ({ params }) => _`{ allowed: ${params.allowed} }`,
};

function isOneOf(values: readonly unknown[], charge: (steps: number) => void): Check {
  const set = new JsonSet(values, charge);
  return (value) => set.has(value);
}

function areUnique(items: readonly unknown[], charge: (steps: number) => void): boolean {
  charge(items.length * stepsPerItem);
  const seen = new JsonSet([], charge);
  return items.every((item) => seen.add(item));
}

function showValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => clip(JSON.stringify(value) ?? 'undefined', 60));
  return clip(shown.join(', ') + (values.length > shown.length ? ', …' : ''), 240);
}
