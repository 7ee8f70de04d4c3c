#!/usr/bin/env node
import process from 'node:process';
import { nodeProblem } from './node-problem.ts';

const problem = nodeProblem(process.versions.node);
// The rest is imported only now: an older Node may fail at the first line of it.
if (problem === undefined) void import('./main.ts');
else {
  process.stderr.write(`error: ${problem}\n`);
  process.exitCode = 2;
}
