import { createHash } from 'node:crypto';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { HostError } from '../host-error.ts';
import type { Governed } from './governed.ts';
import { actionOn, type CompiledLists, entityTypeOf } from './short-form.ts';

/**
 * What a policy says: `permit`, `ask` (permitted once somebody approved it) or `deny`, and the ids of the policies that
 * decided.
 */
export interface Decision {
  readonly effect: 'permit' | 'ask' | 'deny';
  readonly policies: readonly string[];
  /** What went wrong while policies were evaluated. An error is always a denial. */
  readonly errors: readonly string[];
}

/**
 * Parses an agent's policies once and answers a function that decides on one thing. Default deny; an evaluation error
 * is a denial, even where another policy permits.
 *
 * Throws HostError `invalid-policy` when Cedar cannot parse the policies.
 */
export function createCedarPolicy(
  agent: string,
  lists: Pick<CompiledLists, 'policies' | 'asks'>,
): (governed: Governed) => Decision {
  // Cedar keeps parsed sets by id for the life of the process and evicts none; equal sets share one.
  const preparsedPolicySetId = createHash('sha256').update(JSON.stringify(lists.policies)).digest('hex');
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies: { ...lists.policies } });
  if (parsed.type === 'failure') {
    throw new HostError(
      'invalid-policy',
      `the policy of agent "${agent}" cannot be read: ${messagesOf(parsed.errors)}`,
    );
  }
  return ({ kind, server, name, ownName }) => {
    const resource = { type: entityTypeOf(kind), id: name };
    const answer = statefulIsAuthorized({
      principal: { type: 'Agent', id: agent },
      action: { type: 'Action', id: actionOn(kind) },
      resource,
      context: {},
      preparsedPolicySetId,
      entities: [{ uid: resource, attrs: { name, ownName }, parents: [{ type: 'Server', id: server }] }],
    });
    if (answer.type === 'failure') return denial([], [messagesOf(answer.errors)]);
    const { decision, diagnostics } = answer.response;
    const errors = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`);
    if (decision === 'deny' || errors.length > 0) return denial(diagnostics.reason, errors);
    const asks = diagnostics.reason.some((id) => lists.asks.has(id));
    return { effect: asks ? 'ask' : 'permit', policies: diagnostics.reason, errors };
  };
}

function denial(policies: readonly string[], errors: readonly string[]): Decision {
  return { effect: 'deny', policies, errors };
}

function messagesOf(errors: readonly { readonly message: string }[]): string {
  return errors.map(({ message }) => message).join('; ');
}
