import { cleanText } from '@switchyard/guards';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ParamsOf,
  ReadResourceResult,
} from '@switchyard/protocol';

/** What a completed operation answers, by its protocol method. */
export interface OperationResults {
  readonly 'tools/call': CallToolResult;
  readonly 'resources/read': ReadResourceResult;
  readonly 'prompts/get': GetPromptResult;
  readonly 'completion/complete': CompleteResult;
}

/** A protocol method that takes the governed path. */
export type OperationMethod = keyof OperationResults;

/** The params of an operation, with exposed names and URIs; what belongs to one round of a request is not among them. */
export type OperationParams<M extends OperationMethod> = Omit<ParamsOf<M>, 'inputResponses' | 'requestState'>;

/** What an agent wants done. */
export type Operation<M extends OperationMethod = OperationMethod> = {
  [K in M]: { readonly method: K; readonly params: OperationParams<K> };
}[M];

/** Answers the exposed name or URI that an operation is about. */
export function subjectOf(operation: Operation): string {
  switch (operation.method) {
    case 'tools/call':
    case 'prompts/get':
      return operation.params.name;
    case 'resources/read':
      return operation.params.uri;
    default: {
      const { ref } = operation.params;
      return ref.type === 'ref/prompt' ? ref.name : ref.uri;
    }
  }
}

const MAX_SHOWN_CHARS = 512;

/** Answers what an operation is about in a form that is fit for a message: shortened, without control characters. */
export function shownSubject(operation: Operation): string {
  return cleanText(subjectOf(operation), { maxChars: MAX_SHOWN_CHARS });
}

/** Answers what an operation is about, for messages: `tool`, `resource` or `prompt`. */
export function kindOf(operation: Operation): 'tool' | 'resource' | 'prompt' {
  switch (operation.method) {
    case 'tools/call':
      return 'tool';
    case 'prompts/get':
      return 'prompt';
    case 'resources/read':
      return 'resource';
    default:
      return operation.params.ref.type === 'ref/prompt' ? 'prompt' : 'resource';
  }
}
