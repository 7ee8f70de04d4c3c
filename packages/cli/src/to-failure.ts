import { exitCodes, Failure } from './failure.ts';
import { withoutApi } from './target/without-api.ts';

/**
 * Answers what a thrown value means for the caller of the command. Errors of the packages are told by their name, so
 * that none of them has to be loaded for it. `signal` is the caller's own: whatever failed after it aborted was
 * interrupted.
 */
export function toFailure(thrown: unknown, signal?: AbortSignal): Failure {
  if (signal?.aborted === true) return interruption(thrown);
  if (thrown instanceof Failure) return thrown;
  if (!(thrown instanceof Error)) return internal(new Error(String(thrown)));
  const details = { cause: thrown };
  switch (thrown.name) {
    case 'ConfigurationError':
      return new Failure('configuration', thrown.message, details);
    case 'ProtocolError':
      return new Failure('protocol', thrown.message, { ...details, ...numberOf(thrown, 'code') });
    case 'ClientError':
      return new Failure(textOf(thrown, 'code') ?? 'client', withoutApi(thrown.message), {
        ...details,
        ...serverOf(thrown),
      });
    case 'RawConnectionError':
      return new Failure(textOf(thrown, 'code') ?? 'unreachable', thrown.message, details);
    case 'TokenStoreError':
      return new Failure('logins', thrown.message, details);
    case 'TranscriptError':
    case 'SnapshotPlanError':
      return new Failure('file', thrown.message, details);
    case 'HostError':
    case 'GatewayError':
      return new Failure(textOf(thrown, 'code') ?? 'host', thrown.message, details);
    default:
      return internal(thrown);
  }
}

function interruption(cause: unknown): Failure {
  return new Failure('interrupted', 'It was interrupted; what was under way was given up.', {
    exitCode: exitCodes.interrupted,
    cause,
  });
}

function internal(error: Error): Failure {
  return new Failure(
    'internal',
    `${error.message}. This is a defect of switchyard: please report it with the lines below.`,
    {
      lines: (error.stack ?? '').split('\n').slice(1),
      cause: error,
    },
  );
}

function serverOf(error: Error): { readonly server?: string } {
  const server = textOf(error, 'server');
  return server === undefined ? {} : { server };
}

function numberOf(error: Error, member: 'code'): { readonly code?: number } {
  const value: unknown = member in error ? (error as Error & { readonly code: unknown }).code : undefined;
  return typeof value === 'number' ? { code: value } : {};
}

function textOf(error: Error, member: 'code' | 'server'): string | undefined {
  const value: unknown = (error as Error & { readonly [name in 'code' | 'server']?: unknown })[member];
  return typeof value === 'string' ? value : undefined;
}
