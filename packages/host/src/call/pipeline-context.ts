import type { Logger } from '@switchyard/protocol';
import type { LimitsConfiguration } from '@switchyard/config';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Directory } from '../catalog/directory.ts';
import type { Surroundings } from '../surroundings.ts';

/** What the stages work with. */
export interface PipelineContext {
  readonly directory: Directory;
  readonly audit: AuditLog;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
  readonly limits: PipelineLimits;
  /** Whether integers beyond the range of a double are kept digit for digit, as `bigint`. */
  readonly exactIntegers: boolean;
}

/** The limits that hold for every call. */
export type PipelineLimits = Pick<
  LimitsConfiguration,
  'callTimeoutMs' | 'maxArgumentsBytes' | 'maxResultBytes' | 'maxConcurrentCalls'
>;
