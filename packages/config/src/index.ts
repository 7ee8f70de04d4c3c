export { parseAccessEntry, type AccessEntry } from './access-entry.ts';
export { ConfigurationError } from './configuration-error.ts';
export { configurationSchema } from './configuration-schema.ts';
export type {
  AgentConfiguration,
  AuditConfiguration,
  Configuration,
  ConfigurationInput,
  GatewayConfiguration,
  HttpServerConfiguration,
  LimitsConfiguration,
  ServerConfiguration,
  StdioServerConfiguration,
} from './configuration.ts';
export { CONFIGURATION_FILE_NAMES, type ConfigurationFormat } from './format.ts';
export type { FindCredential } from './literal-credential.ts';
export {
  checkConfiguration,
  MAX_CONFIGURATION_BYTES,
  parseConfiguration,
  type CheckOptions,
  type CheckValueOptions,
  type LoadedConfiguration,
  type ParseOptions,
} from './parse-configuration.ts';
export { renderPath, renderProblem, type KeyPath, type Position, type Problem } from './problem.ts';
export { findConfiguration, readConfiguration, type ReadOptions } from './read-configuration.ts';
export type { Environment } from './template.ts';
export { slipsBetween } from './slips-between.ts';
