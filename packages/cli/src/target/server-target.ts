import type { Client } from '@switchyard/client';
import { connect } from '@switchyard/client/node';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { Failure } from '../failure.ts';
import type { Listing, Target } from './target.ts';

/** One server to reach without a host. */
export type BareServer =
  | { readonly url: string; readonly headers: { readonly [name: string]: string } }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
      readonly cwd: string;
    };

/** Reaches one server and answers it as a target: no policy, no audit. Rejects with the client's error. */
export async function openServerTarget(
  server: BareServer,
  options: { readonly signal: AbortSignal; readonly onWarning: (message: string) => void },
): Promise<Target> {
  const common = {
    exactIntegers: true,
    signal: options.signal,
    onWarning: ({ message }: { readonly message: string }) => options.onWarning(message),
  };
  const client =
    'url' in server
      ? await connect(new URL(server.url), { ...common, headers: server.headers })
      : await connect(server, common);
  return createServerTarget(client);
}

function createServerTarget(client: Client): Target {
  return {
    async tools({ signal }) {
      const { tools } = await client.listTools({ signal });
      return listing(tools);
    },
    async resources({ signal }) {
      if (client.capabilities.resources === undefined) return listing([]);
      const { resources } = await client.listResources({ signal });
      const { resourceTemplates } = await client.listResourceTemplates({ signal });
      return listing([...resources, ...resourceTemplates]);
    },
    async prompts({ signal }) {
      if (client.capabilities.prompts === undefined) return listing([]);
      const { prompts } = await client.listPrompts({ signal });
      return listing(prompts);
    },
    async findTool(name, { signal }) {
      const { tools } = await client.listTools({ signal });
      const found = tools.find((tool) => tool.name === name);
      if (found !== undefined) return found;
      const near = didYouMean(
        name,
        tools.map((tool) => tool.name),
      );
      throw new Failure('unknown', `The server ${client.name} has no tool called ${JSON.stringify(name)}.${near}`, {
        server: client.name,
      });
    },
    call: (name, args, options) => client.callTool(name, args, options),
    read: (uri, options) => client.readResource(uri, options),
    prompt: (name, args, options) => client.getPrompt(name, args, options),
    close: () => client.close(),
  };

  function listing<Definition>(definitions: readonly Definition[]): Listing<Definition> {
    // What was left out has been warned of while the list was read.
    return {
      entries: definitions.map((definition) => ({ server: client.name, definition })),
      missing: [],
      leftOut: [],
    };
  }
}
