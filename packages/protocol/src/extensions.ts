/**
 * The official extensions that this software knows, by short name. Each is off until its side declares it in
 * `capabilities.extensions`.
 *
 * Spec: extensions/overview (2026-07-28).
 */
export const extensions = {
  tasks: 'io.modelcontextprotocol/tasks',
  skills: 'io.modelcontextprotocol/skills',
  apps: 'io.modelcontextprotocol/ui',
} as const;

/** The identifier of an official extension. */
export type ExtensionId = (typeof extensions)[keyof typeof extensions];
