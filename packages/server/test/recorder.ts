import type { Logger } from '@switchyard/server';

/** A line of a log. */
export interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: { readonly [name: string]: unknown };
  readonly message: string;
}

/** A logger that keeps its lines. */
export function createRecorder(): Logger & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: { ...fields }, message });
    };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
