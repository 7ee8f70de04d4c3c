import { type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv/dist/2020.js';

/** Thrown out of a validation that takes more steps than it may. */
export class StepsSpent extends Error {
  override readonly name = 'StepsSpent';
}

/** The steps that are left for the validation that is running. */
export interface StepBudget {
  left: number;
}

/** Takes steps off a budget; throws `StepsSpent` where it does not have them. */
export function spend(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new StepsSpent(`more than the allowed steps are needed`);
}

/** Steps for listing a member of an object, which in a large one is slow. */
export const stepsPerMember = 96;

/** Charges the number in the schema each time the subschema is entered. */
export const enterKeyword = '$steps:enter';
/** Charges the characters of a text for so many keywords that read all of them. */
export const textKeyword = '$steps:text';
/** Charges the members of an object for so many keywords that count all of them. */
export const membersKeyword = '$steps:members';

/**
 * Keywords of our own that make a compiled validator pay for its work. They stand in what is compiled only: one of
 * these names in a schema from outside means nothing.
 */
export function createStepKeywords(budget: StepBudget): CodeKeywordDefinition[] {
  const charge = (cxt: KeywordCxt, steps: ReturnType<typeof _>): void => {
    const spendSteps = cxt.gen.scopeValue('func', { ref: spend });
    const left = cxt.gen.scopeValue('obj', { ref: budget });
    cxt.gen.code(_`${spendSteps}(${left}, ${steps})`);
  };
  return [
    {
      keyword: enterKeyword,
      schemaType: 'number',
      before: '$ref',
      code: (cxt) => charge(cxt, _`${cxt.schemaCode}`),
    },
    {
      keyword: textKeyword,
      type: 'string',
      schemaType: 'number',
      before: 'maxLength',
      code: (cxt) => charge(cxt, _`${cxt.data}.length * ${cxt.schemaCode}`),
    },
    {
      keyword: membersKeyword,
      type: 'object',
      schemaType: 'number',
      before: 'maxProperties',
      code: (cxt) => charge(cxt, _`Object.keys(${cxt.data}).length * ${cxt.schemaCode}`),
    },
  ];
}
