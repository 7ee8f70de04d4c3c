import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { targetHelp, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** What sets one list apart from the others. */
interface ListHelp {
  readonly description: string;
  /** What the array of `--json` holds. */
  readonly definitions: string;
  readonly examples: readonly string[];
}

const lists = {
  tools: {
    description: 'List the tools that you may call, with their arguments.',
    definitions: 'an array of definitions, each under the name to call it by',
    examples: [
      'switchyard tools',
      'switchyard tools --as reader --json',
      "switchyard tools --server 'node server.js --verbose' --env API_KEY=…",
      "switchyard tools --url https://mcp.example.com/mcp --header 'Authorization: Bearer …'",
    ],
  },
  resources: {
    description: 'List the resources and resource templates that you may read.',
    definitions: 'an array of definitions; a resource has a uri to read it by, a template a uriTemplate to fill in',
    examples: [
      'switchyard resources',
      'switchyard resources --as reader --json',
      "switchyard resources --server 'node server.js'",
    ],
  },
  prompts: {
    description: 'List the prompts that you may render, with their arguments.',
    definitions: 'an array of definitions, each under the name to render it by',
    examples: [
      'switchyard prompts',
      'switchyard prompts --as reader --json',
      'switchyard prompts --url http://127.0.0.1:7420/mcp',
    ],
  },
} as const satisfies { readonly [verb: string]: ListHelp };

/** Declares one of the verbs that list what an agent or a server has. */
export function declareList(
  verb: keyof typeof lists,
  program: Command,
  surroundings: Surroundings,
  perform: Perform,
): void {
  const { description, definitions, examples }: ListHelp = lists[verb];
  withTarget(program.command(verb))
    .description(description)
    .addHelpText(
      'after',
      `
With --json: ${definitions}.${targetHelp}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`,
    )
    .action((flags: TargetFlags) =>
      perform(async (terminal) => {
        const { [verb]: list } = await import('../verbs/list.ts');
        return list(flags, surroundings, terminal);
      }),
    );
}
