import { nearestName } from './nearest-names.ts';
import type { ConfigurationSchema } from './schema-type.ts';

/** The valid key of a map that somebody who wrote `key` most likely meant, names of other programs included. */
export function meantKey(key: string, schema: ConfigurationSchema): string | undefined {
  const meanings = new Map<string, string>();
  for (const [valid, property] of Object.entries(propertiesOf(schema))) {
    meanings.set(valid, valid);
    for (const other of property['x-otherNames'] ?? []) meanings.set(other, valid);
  }
  const near = nearestName(key, meanings.keys());
  return near === undefined ? undefined : meanings.get(near);
}

/** The keys that a schema declares; none where it is not of a map with fixed keys. */
export function propertiesOf(schema: ConfigurationSchema): Readonly<Record<string, ConfigurationSchema>> {
  return schema.type === 'object' ? (schema.properties ?? {}) : {};
}
