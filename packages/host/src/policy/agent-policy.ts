import { createCedarPolicy, type Decision } from './cedar.ts';
import type { Governed } from './governed.ts';
import { type AccessLists, type CompiledLists, compileShortForm } from './short-form.ts';
import { memoizeVerdicts } from './verdict-memo.ts';

/** What one agent may do. */
export interface AgentPolicy extends Pick<CompiledLists, 'rules' | 'text' | 'couldReach'> {
  /** Decides on one thing; the answer is remembered. */
  decide(governed: Governed): Decision;
}

/**
 * Makes the policy of an agent from its access lists. `servers` are the configured names of all servers. Throws
 * HostError `invalid-policy`.
 */
export function createAgentPolicy(agent: string, lists: AccessLists, servers: Iterable<string>): AgentPolicy {
  const compiled = compileShortForm(agent, lists, servers);
  return {
    rules: compiled.rules,
    text: compiled.text,
    couldReach: compiled.couldReach,
    decide: memoizeVerdicts(createCedarPolicy(agent, compiled)),
  };
}
