import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Runs `@modelcontextprotocol/server-filesystem` in this process, on a folder of its own that holds `welcome.txt` and
 * is gone when the process ends. The server takes relative paths as relative to its folder.
 */

const folder = mkdtempSync(join(tmpdir(), 'switchyard-demo-'));
writeFileSync(join(folder, 'welcome.txt'), 'Welcome to Switchyard. This file was read through a governed call.\n');

process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit());

// The server reads its folders from the command line, as its own command would give them.
process.argv.splice(2, process.argv.length, folder);
await import(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
