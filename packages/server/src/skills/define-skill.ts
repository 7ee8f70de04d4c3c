import { define, type Part, remove } from '../composition/part.ts';
import type { CompiledSkill } from './skill.ts';

/**
 * Takes the files of a skill in, all of them or none.
 *
 * @throws TypeError when the URI of one is taken.
 */
export function defineSkill(part: Part, { resources }: CompiledSkill): void {
  const done: string[] = [];
  try {
    for (const [uri, resource] of resources) {
      define(part, 'resources', uri, resource);
      done.push(uri);
    }
  } catch (error) {
    for (const uri of done) remove(part, 'resources', uri);
    throw error;
  }
}

/** Removes a skill of the server's own with its files, and answers whether there was one. */
export function removeSkill(part: Part, uri: string): boolean {
  const skill = part.definitions.resources.get(uri)?.skill;
  if (skill === undefined || skill.resources === 'dynamic') return false;
  for (const file of skill.resources) remove(part, 'resources', file.uri);
  return true;
}
