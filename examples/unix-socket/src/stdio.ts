import { serveStdio } from '@switchyard/server/node';
import { createDesk } from './desk.ts';

await serveStdio(createDesk());
