import { createServer, type Server, silentLogger } from '@switchyard/server';
import { expect } from 'vitest';

import type { ResourceTemplateDefinition } from '../src/definition/resource.ts';
import { openMemory } from './memory-route.ts';

/** What a template says of its variables. */
export type Rules = Omit<ResourceTemplateDefinition, 'name'>;

export function createDepot(): Server {
  return createServer({ name: 'depot', version: '1.0.0' }, { logger: silentLogger });
}

/** What the handler of a template got for each URI, or the error. */
export async function readVariables(template: string, rules: Rules, ...uris: readonly string[]): Promise<unknown[]> {
  const got: unknown[] = [];
  const server = createDepot().resourceTemplate(template, { name: 't', ...rules }, (variables) => {
    got.push({ ...(variables as object) });
    return 'x';
  });
  const answers: unknown[] = [];
  for (const uri of uris) {
    got.length = 0;
    const { error } = await openMemory(server).request('resources/read', { uri });
    if (error !== undefined) {
      expect(got).toEqual([]);
      expect(error.data).toEqual({ uri });
    }
    answers.push(error === undefined ? got[0] : error.code === -32602 ? error.message : error.code);
  }
  return answers;
}
