export { accessKinds, accessLists, NAME_SEPARATOR, parseAccessEntry, URI_SEPARATOR } from './access-entry.ts';
export type { AccessEntry, AccessKind, AccessList } from './access-entry.ts';
export { chooseAgent, noSuchAgent, type AgentChoice, type AgentChoosing } from './choose-agent.ts';
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
export type { ConfigurationFormat } from './format.ts';
export { isHeaderName, isHeaderValue } from './header-field.ts';
export type { FindCredential } from './literal-credential.ts';
export {
  checkConfiguration,
  parseConfiguration,
  type CheckOptions,
  type CheckValueOptions,
  type LoadedConfiguration,
  type ParseOptions,
} from './parse-configuration.ts';
export { nearestNames } from './nearest-names.ts';
export { renderProblem, type KeyPath, type Position, type Problem } from './problem.ts';
export { findConfiguration, readConfiguration, type ReadOptions } from './read-configuration.ts';
export { problemOfName } from './configured-name.ts';
export type { Environment } from './template.ts';
