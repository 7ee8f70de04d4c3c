import { parseUriTemplate, type UriTemplate } from '@switchyard/protocol';

/** What a caller says of the variables of a URI template, one of which it wants completed. */
export interface GivenVariables {
  /** The variables that have their value. */
  readonly settled: { readonly [name: string]: string };
  /** The variable to complete, and how its value begins. */
  readonly begun: { readonly name: string; readonly value: string };
}

const EXPRESSION = /\{[^{}]*\}/g;

/**
 * Answers a URI template with the given values in their places: the beginning that every URI has which the completion
 * leads to. An expression without a value stays, and stays behind its values where one of its variables is open.
 */
export function settleTemplate({ source }: Pick<UriTemplate, 'source'>, { settled, begun }: GivenVariables): string {
  const values = Object.entries(settled).filter(([name]) => name !== begun.name);
  // An empty beginning says nothing, and would write an operator such as `?` without a value.
  if (begun.value !== '') values.push([begun.name, begun.value]);
  const given = Object.fromEntries(values.map(([name, value]) => [name, value.toWellFormed()]));
  return source.replaceAll(EXPRESSION, (expression) => {
    const { variables, expand } = parseUriTemplate(expression);
    if (!variables.some((name) => Object.hasOwn(given, name))) return expression;
    const isOpen = variables.some((name) => name === begun.name || !Object.hasOwn(given, name));
    return isOpen ? expand(given) + expression : expand(given);
  });
}
