/** `npm run matrix`: runs the matrix test of the client and writes what came of it to docs/evidence/client-matrix.md. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { root, run } from './run.ts';

/** What vitest tells of one test. */
interface TestResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

const tests = 'packages/client/test/matrix';
const file = 'docs/evidence/client-matrix.md';
/** Why servers lack features, in the order of their numbers. */
const reasons: string[] = [];

const rows = toRows(await runTests());
const cells = [...rows.values()].flatMap((row) => Object.entries(row));
const features = [...new Set(cells.map(([feature]) => feature))];
const lines = [
  '# Our client against other servers',
  '',
  `\`npm run matrix\` ran \`${tests}\` on ${new Date().toISOString().slice(0, 10)} with Node ${process.version}. Each cell is a test that`,
  'uses the feature and looks at what comes of it. A number is the reason why a server does not have a feature. Unless its',
  'name says otherwise, a server is reached at the newest revision that it speaks. Of tmcp only the package for HTTP is among',
  'the dependencies.',
  '',
  toLine(['server', ...features]),
  toLine(['---', ...features.map(() => '---')]),
  ...[...rows].map(([peer, row]) => toLine([peer].concat(features.map((feature) => row[feature] ?? '')))),
  '',
  ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
  '',
];
writeFileSync(join(root, file), lines.join('\n'));
const failed = cells.filter(([, cell]) => cell === 'FAILED').length;
console.log(`${file}: ${rows.size} servers, ${features.length} features, ${failed} failed`);
process.exitCode = failed > 0 || rows.size === 0 ? 1 : 0;

function toLine(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

async function runTests(): Promise<readonly TestResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-matrix-'));
  try {
    const output = join(folder, 'results.json');
    await run('vitest', ['run', tests, '--reporter=json', `--outputFile=${output}`]);
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
      readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly TestResult[] }[];
    };
    const byFile = [...testResults].sort((a, b) => (a.name < b.name ? 1 : -1));
    return byFile.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Answers the cells of each server by feature. */
function toRows(results: readonly TestResult[]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const { ancestorTitles, title, status } of results) {
    const [peer] = ancestorTitles;
    const [, feature, reason] = /^(?:has|does not have) (\w+)(?:: (.+))?$/.exec(title) ?? [];
    if (peer === undefined || feature === undefined) continue;
    const row = found.get(peer) ?? {};
    row[feature] = status === 'passed' ? cellOf(reason) : 'FAILED';
    found.set(peer, row);
  }
  return found;
}

function cellOf(reason: string | undefined): string {
  if (reason === undefined) return '✓';
  if (!reasons.includes(reason)) reasons.push(reason);
  return `${reasons.indexOf(reason) + 1}`;
}
