import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

import { compareReports } from './api/compare-reports.ts';
import { readReports } from './api/read-reports.ts';
import { type Finished, root, run } from './run.ts';

const reports = join(root, 'etc');

/**
 * Checks that the public surface of every published entry point is the one that is committed as `etc/<package>.api.md`,
 * so that a change of it is seen and meant. Builds the packages first, because the reports are made of the declarations
 * that are published. With `write`, the reports are made anew, and those of entry points that are gone are removed.
 */
export async function checkApi(options: { readonly write: boolean } = { write: false }): Promise<Finished> {
  const built = await run('tsc', ['-b', 'tsconfig.build.json']);
  if (built.code !== 0) return built;
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-api-'));
  try {
    const problems = listEntries().flatMap((entry) => extractReport(entry, folder));
    if (problems.length > 0) return { code: 1, output: problems.join('\n') };
    if (options.write) {
      replaceReports(folder);
      return { code: 0, output: '' };
    }
    const changes = compareReports(readReports(reports), readReports(folder));
    return { code: changes.length > 0 ? 1 : 0, output: changes.join('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One published entry point of a package. */
interface Entry {
  readonly packageFolder: string;
  readonly declarations: string;
  readonly report: string;
}

function listEntries(): readonly Entry[] {
  return readdirSync(join(root, 'packages')).flatMap((name) => {
    const packageFolder = join(root, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
    };
    return Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string'
        ? []
        : [
            {
              packageFolder,
              declarations: join(packageFolder, target.types),
              report: `${name}${path.slice(1).replaceAll('/', '-')}.api.md`,
            },
          ],
    );
  });
}

/** Writes the report of an entry point into a folder and answers what went wrong. */
function extractReport({ packageFolder, declarations, report }: Entry, folder: string): readonly string[] {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: tsconfigOf(declarations) },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temporary'),
        reportFileName: report,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          // A type that the surface uses and does not export stands in the report.
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
  mkdirSync(join(folder, 'temporary'), { recursive: true });
  const problems: string[] = [];
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error) problems.push(`${report}: ${message.text}`);
    },
  });
  return succeeded || problems.length > 0 ? problems : [`${report}: the report could not be made`];
}

/** The extractor brings its own compiler, which only reads declarations here. */
function tsconfigOf(declarations: string): object {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')) as {
    readonly compilerOptions: {
      readonly target: string;
      readonly lib: readonly string[];
      readonly types: readonly string[];
    };
  };
  const { target, lib, types } = compilerOptions;
  return {
    compilerOptions: {
      target,
      lib,
      types,
      typeRoots: [join(root, 'node_modules', '@types')],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
    files: [declarations],
  };
}

function replaceReports(folder: string): void {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports);
  for (const [report, text] of readReports(folder)) writeFileSync(join(reports, report), text);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const { code, output } = await checkApi(values);
  if (output !== '') console.log(output);
  process.exitCode = code;
}
