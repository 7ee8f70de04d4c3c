import { isJsonObject } from '@switchyard/protocol';
import { createSchemaCompiler, SchemaError } from '@switchyard/protocol/schema';

import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped, unknown } from '../finding.ts';

/** Whether the arguments of the call fit what the tool says it takes. */
export const argumentsStep: DoctorStep = {
  id: 'arguments',
  question: 'Do the arguments fit its schema?',
  async run(site) {
    const { tool } = site;
    if (tool === undefined) return skipped('No tool was named (--tool NAME, --args JSON).');
    const listed = (await site.tools()).tools.find(({ name }) => name === tool.name);
    const schema = listed?.inputSchema;
    try {
      const problem = createSchemaCompiler({ checksFormats: false }).compile(schema).validate(tool.arguments);
      if (problem === undefined) return ok('They do.');
      const place = problem.path === '' ? 'the whole' : problem.path;
      return cause(
        'The arguments do not fit the input schema of the tool.',
        [
          `at ${site.excerpt(place, 150)}, rule ${site.excerpt(problem.rule, 60)}: ${site.excerpt(problem.message)}`,
          ...takes(site, schema),
        ],
        `Correct --args: ${site.excerpt(problem.message)}`,
      );
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      return unknown('Its schema cannot be used to tell.', [site.excerpt(error.message)]);
    }
  },
};

function takes(site: DoctorSite, schema: unknown): readonly string[] {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return [];
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  const names = Object.keys(schema['properties']).map((name) => (required.has(name) ? `${name} (required)` : name));
  return names.length === 0 ? [] : [`it takes: ${site.excerpt(names.join(', '))}`];
}
