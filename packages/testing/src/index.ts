export { connectInMemory } from './connect-in-memory.ts';
