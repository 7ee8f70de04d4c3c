import { extname } from 'node:path';

/** The languages that a configuration may be written in; `jsonc` is JSON with comments and trailing commas. */
export type ConfigurationFormat = 'yaml' | 'json' | 'jsonc';

/** The names that a configuration file may have, in the order in which they are looked for. */
export const configurationFileNames = [
  'switchyard.yaml',
  'switchyard.yml',
  'switchyard.json',
  'switchyard.jsonc',
] as const;

const formats: ReadonlyMap<string, ConfigurationFormat> = new Map([
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
  ['.jsonc', 'jsonc'],
]);

/** The format that the ending of a file's name stands for, or undefined for any other ending. */
export function formatOf(path: string): ConfigurationFormat | undefined {
  return formats.get(extname(path).toLowerCase());
}
