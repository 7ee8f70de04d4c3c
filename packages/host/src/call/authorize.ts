import { type Call, placeOf, type Stage, resolutionOf } from './call.ts';
import { kindOf, shownSubject } from './operation.ts';
import { refused } from './outcome.ts';
import type { Verdict } from './verdict.ts';

/**
 * Lets a call pass that the agent's policy permits. What needs an approval is refused with `approval-required`;
 * everything else, an evaluation error included, is `denied`.
 */
export function authorize(): Stage {
  return (call, next) => {
    const { effect, policies, errors } = call.agent.policy.decide(resolutionOf(call).governed);
    if (effect === 'permit') return next(call);
    if (effect === 'deny') return Promise.resolve(refused(denial(call, policies, errors)));
    const verdict: Verdict = {
      reason: 'approval-required',
      message: `The ${describe(call)} needs an approval before agent "${call.agent.name}" may use it, and nobody can give one yet.`,
      ...placeOf(call),
      details: { policies },
    };
    return Promise.resolve(refused(verdict));
  };
}

/** The verdict on something that is out of the agent's reach. Its message is for this process only. */
export function denial(call: Call, policies: readonly string[] = [], errors: readonly string[] = []): Verdict {
  const because =
    errors.length > 0
      ? `its policy could not be evaluated: ${errors.join('; ')}`
      : policies.length > 0
        ? `by ${policies.join(', ')}`
        : 'no entry allows it';
  return {
    reason: 'denied',
    message: `Agent "${call.agent.name}" may not use ${describe(call)}: ${because}.`,
    ...placeOf(call),
    details: { policies },
  };
}

function describe({ operation }: Call): string {
  return `${kindOf(operation)} "${shownSubject(operation)}"`;
}
