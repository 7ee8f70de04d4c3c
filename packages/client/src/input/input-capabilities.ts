import type { ClientCapabilities } from '@switchyard/protocol';
import type { InputHandlers } from './input-handlers.ts';

/**
 * Answers what a client declares: a capability for each handler that exists, and whatever the caller declares beyond
 * that, such as `sampling.tools`, or a kind of input that he answers himself.
 *
 * Spec: client/elicitation#capabilities, client/sampling#capabilities, client/roots#capabilities (2026-07-28).
 */
export function inputCapabilities(
  declared: ClientCapabilities,
  { elicitForm, elicitUrl, sample, roots }: InputHandlers,
): ClientCapabilities {
  const hasElicitation = elicitForm !== undefined || elicitUrl !== undefined;
  // Nothing but `{}` stands for forms, which has to stay said once pages stand beside it.
  const { elicitation } = declared;
  const isBare = elicitation !== undefined && elicitation.form === undefined && elicitation.url === undefined;
  return {
    ...declared,
    ...(hasElicitation
      ? {
          elicitation: {
            ...elicitation,
            ...(elicitForm !== undefined || isBare ? { form: elicitation?.form ?? {} } : {}),
            ...(elicitUrl === undefined ? {} : { url: elicitation?.url ?? {} }),
          },
        }
      : {}),
    ...(sample === undefined ? {} : { sampling: { ...declared.sampling } }),
    ...(roots === undefined ? {} : { roots: { ...declared.roots } }),
  };
}
