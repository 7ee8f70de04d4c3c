import type { Tool } from '@switchyard/protocol';

/**
 * Answers the name of a tool for people: its title, or else that of its annotations, or else its name. It is text of the
 * server; two tools may have the same.
 *
 * Spec: schema#basemetadata-title (2026-07-28).
 */
export function displayName({ name, title, annotations }: Pick<Tool, 'name' | 'title' | 'annotations'>): string {
  return [title, annotations?.title].find((text) => text !== undefined && text.trim() !== '') ?? name;
}
