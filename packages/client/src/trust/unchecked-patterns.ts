import type { Tool } from '@switchyard/protocol';
import { loadSchemaTools, measureTool } from './tool-schemas.ts';

/**
 * Answers the patterns in the schemas of a tool that no linear-time engine can hold, or that are no patterns: what they
 * would refuse passes, and the tool works. Empty for a tool whose schemas cannot be used at all.
 *
 * Spec: basic/index#composition-keyword-resource-use (2026-07-28).
 */
export async function findUncheckedPatterns(tool: Tool): Promise<readonly string[]> {
  return measureTool(tool, await loadSchemaTools({})).uncheckedPatterns();
}
