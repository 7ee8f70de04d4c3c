export { connectInMemory } from './connect-in-memory.ts';
export { isRunning } from './is-running.ts';
export { type Script, type ScriptedServer, scriptedServer, tool } from './scripted-server.ts';
