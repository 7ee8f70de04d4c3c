import { Type, mergeEvaluated } from 'ajv/dist/compile/util.js';
import {
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type ValidateFunction,
  _,
} from 'ajv/dist/2020.js';
import { startEvaluation } from './evaluation-keywords.ts';

/** Most errors that a definition hands on; the last one is what it failed for. */
const maxErrors = 4;

/** The compiled definitions of a schema by their names. */
export type Definitions = Map<string, ValidateFunction>;

/**
 * Replacements for keywords whose versions in ajv copy all earlier errors for each new one (`$ref`, `contains`), nest
 * their code as deep as they have entries (`oneOf`, `prefixItems`), compile a definition in the middle of what refers
 * to it (`$ref`), or pass over what comes after them where a list is short (`prefixItems`).
 */
export function createBoundedKeywords(definitions: Definitions): CodeKeywordDefinition[] {
  return [
    { keyword: '$ref', schemaType: 'string', code: (cxt) => callDefinition(cxt, definitions) },
    {
      keyword: 'oneOf',
      schemaType: 'array',
      trackErrors: true,
      code: matchExactlyOne,
      error: { message: '', params: ({ params }) => _`{ first: ${params.first}, second: ${params.second} }` },
    },
    { keyword: 'prefixItems', type: 'array', schemaType: 'array', before: 'items', code: matchFirstItems },
    {
      keyword: 'contains',
      type: 'array',
      schemaType: ['object', 'boolean'],
      before: 'unevaluatedItems',
      trackErrors: true,
      code: countMatches,
      error: { message: '', params: ({ params }) => _`{ min: ${params.min}, max: ${params.max} }` },
    },
  ];
}

const instancePath = new Name('instancePath');
const vErrors = new Name('vErrors');
const errorCount = new Name('errors');

function callDefinition(cxt: KeywordCxt & { schema: string }, definitions: Definitions): void {
  const { gen, data, it } = cxt;
  // Looked up when it is called: the definition may not be compiled yet, or be the one that is being compiled.
  const definition = gen.const('definition', _`${gen.scopeValue('obj', { ref: definitions })}.get(${cxt.schema})`);
  cxt.result(
    _`${definition}(${data}, { instancePath: ${instancePath} + ${it.errorPath} })`,
    () => {
      if (!it.opts.unevaluated) return;
      if (it.props !== true) {
        const props = gen.var('props', _`${definition}.evaluated.props`);
        it.props = mergeEvaluated.props(gen, props, it.props, Name);
      }
      if (it.items !== true) {
        const items = gen.var('items', _`${definition}.evaluated.items`);
        it.items = mergeEvaluated.items(gen, items, it.items, Name);
      }
    },
    () => {
      const append = gen.scopeValue('func', { ref: appendErrors });
      gen.assign(vErrors, _`${append}(${vErrors}, ${definition}.errors)`);
      gen.assign(errorCount, _`${vErrors}.length`);
    },
  );
}

function appendErrors(errors: ErrorObject[] | null, more: readonly ErrorObject[]): ErrorObject[] {
  const tail = more.slice(-maxErrors);
  if (errors === null) return tail;
  errors.push(...tail);
  return errors;
}

function matchExactlyOne(cxt: KeywordCxt & { schema: readonly unknown[] }): void {
  const { gen, schema } = cxt;
  const first = gen.let('first', -1);
  const second = gen.let('second', -1);
  const matches = gen.name('_valid');
  cxt.setParams({ first, second });
  startEvaluation(cxt);
  for (const index of schema.keys()) {
    gen.if(_`${second} < 0`, () => {
      const branch = cxt.subschema({ keyword: 'oneOf', schemaProp: index, compositeRule: true }, matches);
      gen.if(matches, () => {
        gen.if(_`${first} < 0`, _`${first} = ${index}`, _`${second} = ${index}`);
        cxt.mergeEvaluated(branch, Name);
      });
    });
  }
  cxt.result(
    _`${first} >= 0 && ${second} < 0`,
    () => cxt.reset(),
    () => cxt.error(true),
  );
}

function matchFirstItems(cxt: KeywordCxt & { schema: readonly unknown[] }): void {
  const { gen, data, schema, it } = cxt;
  const isValid = gen.let('valid', true);
  const matches = gen.name('_valid');
  for (const [index, item] of schema.entries()) {
    if (item === true) continue;
    gen.if(_`${isValid} && ${data}.length > ${index}`, () => {
      cxt.subschema({ keyword: 'prefixItems', schemaProp: index, dataProp: index }, matches);
      gen.assign(isValid, matches);
    });
  }
  if (it.items !== true) it.items = mergeEvaluated.items(gen, schema.length, it.items);
  cxt.ok(isValid);
}

function countMatches(cxt: KeywordCxt): void {
  const { gen, data, it, parentSchema } = cxt;
  const min: number = parentSchema.minContains ?? 1;
  const max: number | undefined = parentSchema.maxContains;
  // Which items matched is not kept, so all of them count as evaluated.
  it.items = true;
  if (min === 0 && max === undefined) return;
  cxt.setParams({ min, max: max ?? -1 });
  const count = gen.let('count', 0);
  const matches = gen.name('_valid');
  const isDecided = max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`;
  gen.forRange('i', 0, _`${data}.length`, (i) => {
    cxt.subschema({ keyword: 'contains', dataProp: i, dataPropType: Type.Num, compositeRule: true }, matches);
    gen.if(matches, _`${count}++`);
    cxt.reset();
    gen.if(isDecided, () => gen.break());
  });
  cxt.pass(max === undefined ? isDecided : _`${count} >= ${min} && ${count} <= ${max}`);
}
