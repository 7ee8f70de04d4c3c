/** The variables that a template may name. Nothing here reads `process.env`; the caller passes what may be seen. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A text of a server entry, taken apart: literal pieces, variables, and expressions that cannot be read. */
export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback: string | undefined }
  | { readonly kind: 'fault'; readonly reason: string };

const VARIABLE = /^(?:env:)?(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<fallback>:-[^]*)?$/;

/**
 * Takes a text apart at `${NAME}`, `${env:NAME}` and `${NAME:-fallback}`.
 *
 * `$$` stands for one dollar sign, so `$${` is a literal `${`; a dollar sign before anything else is literal. A
 * fallback is literal, ends at the first `}` and cannot hold an opening brace, so nothing nests. Every other `${…}`,
 * and one that does not end, is a fault.
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const dollar = text.indexOf('$', from);
    const next = text[dollar + 1];
    if (dollar < 0) {
      parts.push({ kind: 'literal', text: text.slice(from) });
      return parts;
    }
    parts.push({ kind: 'literal', text: text.slice(from, dollar) });
    if (next !== '{') {
      parts.push({ kind: 'literal', text: '$' });
      from = dollar + (next === '$' ? 2 : 1);
      continue;
    }
    const end = text.indexOf('}', dollar);
    if (end < 0) {
      parts.push({ kind: 'fault', reason: 'a ${ that does not end' });
      return parts;
    }
    parts.push(parseExpression(text.slice(dollar + 2, end)));
    from = end + 1;
  }
}

function parseExpression(expression: string): TemplatePart {
  const groups = VARIABLE.exec(expression)?.groups;
  const fallback = groups?.['fallback']?.slice(2);
  if (groups === undefined) return { kind: 'fault', reason: 'a ${…} that names no variable' };
  if (fallback?.includes('{') === true) return { kind: 'fault', reason: 'a ${…} whose default holds an opening brace' };
  return { kind: 'variable', name: groups['name'] ?? '', fallback };
}

/** What {@link renderTemplate} answers: the text, or why there is none. */
export type Rendered =
  | { readonly text: string; readonly unset?: never; readonly faults?: never }
  | { readonly text?: never; readonly unset: readonly string[]; readonly faults: readonly string[] };

/**
 * Puts a text together from its parts. A variable without fallback must be set and may be empty; one with a fallback
 * takes it when it is unset or empty, as in a shell. What a variable holds is never taken apart again.
 */
export function renderTemplate(parts: readonly TemplatePart[], env: Environment): Rendered {
  const unset = new Set<string>();
  const faults: string[] = [];
  let text = '';
  for (const part of parts) {
    if (part.kind === 'literal') {
      text += part.text;
    } else if (part.kind === 'fault') {
      faults.push(part.reason);
    } else {
      const value = Object.hasOwn(env, part.name) ? env[part.name] : undefined;
      if (part.fallback !== undefined) text += value === undefined || value === '' ? part.fallback : value;
      else if (value === undefined) unset.add(part.name);
      else text += value;
    }
  }
  return unset.size > 0 || faults.length > 0 ? { unset: [...unset], faults } : { text };
}

/** The pieces that stand in the file itself: literals and fallbacks, without what variables hold. */
export function literalText(parts: readonly TemplatePart[]): string {
  return parts
    .map((part) => (part.kind === 'literal' ? part.text : part.kind === 'variable' ? (part.fallback ?? '') : ''))
    .join('');
}
