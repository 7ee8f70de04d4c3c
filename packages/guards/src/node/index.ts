export { minimalEnvironment, type MinimalEnvironmentOptions } from './minimal-environment.ts';
export { SpawnError, type SpawnErrorCode } from './spawn-error.ts';
export { type ServerExit, type ServerProcess, spawnServer, type SpawnServerOptions } from './spawn-server.ts';
