import { type Ajv2020, type CodeKeywordDefinition, type KeywordCxt, Name, _ } from 'ajv/dist/2020.js';

/**
 * Completes keywords of ajv that work with what others have evaluated, where that is only known at run time: there it
 * may not be set yet (`patternProperties`), be that of a branch that did not match (`anyOf`, `dependentSchemas`), be
 * `true` instead of a count of items (`unevaluatedItems`), or seem to have members that are called like methods of
 * Object.prototype (`unevaluatedProperties`).
 */
export function createEvaluationKeywords(ajv: Ajv2020): CodeKeywordDefinition[] {
  const prepared = (keyword: string, prepare: (cxt: KeywordCxt) => void): CodeKeywordDefinition => {
    const original = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    return {
      ...original,
      code: (cxt) => {
        prepare(cxt);
        original.code(cxt);
      },
    };
  };
  return [
    prepared('anyOf', startEvaluation),
    { ...prepared('dependentSchemas', startEvaluation), before: 'unevaluatedProperties' },
    {
      ...prepared('patternProperties', ({ gen, it: { props } }) => {
        if (props instanceof Name) gen.if(_`${props} === undefined`, _`${props} = {}`);
      }),
      before: 'unevaluatedProperties',
    },
    prepared('unevaluatedProperties', ({ gen, it }) => {
      if (!(it.props instanceof Name)) return;
      it.props = gen.const('evaluated', _`${gen.scopeValue('func', { ref: withoutPrototype })}(${it.props})`);
    }),
    prepared('unevaluatedItems', ({ gen, data, it }) => {
      if (!(it.items instanceof Name)) return;
      it.items = gen.const('evaluated', _`${it.items} === true ? ${data}.length : ${it.items} || 0`);
    }),
  ];
}

/** Gives a keyword whose branches evaluate under a condition something of its own to add to. */
export function startEvaluation({ gen, it }: KeywordCxt): void {
  if (!it.opts.unevaluated) return;
  it.props ??= gen.var('props', _`undefined`);
  it.items ??= gen.var('items', _`undefined`);
}

function withoutPrototype(evaluated: object | boolean | undefined): object | boolean | undefined {
  return typeof evaluated === 'object' ? Object.assign(Object.create(null) as object, evaluated) : evaluated;
}
