import { extname } from 'node:path';
import { chooseAgent } from '@switchyard/config';
import { Failure } from '../failure.ts';
import type { NamedConfiguration } from './load-configuration.ts';

/**
 * Answers the agent to act as: the given one, else `gateway.anonymousAgent`, else the only one. Throws a failure that
 * names the agents, or says how to declare the first.
 */
export function actingAgent(named: NamedConfiguration, given: string | undefined): string {
  assertAgents(named);
  const choice = chooseAgent(named.configuration, { given, orTheOnlyOne: true });
  if ('agent' in choice) return choice.agent;
  throw new Failure('configuration', `${named.file}: ${choice.message}; say --as AGENT.`);
}

/**
 * Throws a failure where no agent is declared, as in the file of another client, with a text to paste that declares
 * one.
 */
export function assertAgents({ configuration, file, positionOf }: NamedConfiguration): void {
  if (Object.keys(configuration.agents).length > 0) return;
  const hasGateway = positionOf(['gateway']) !== undefined;
  throw new Failure(
    'configuration',
    `${file}: it declares no agents, so nobody may use anything. Add to its top level what follows, then narrow what is allowed.`,
    {
      paste: extname(file).toLowerCase().startsWith('.json') ? firstAgentJson(hasGateway) : firstAgentYaml(hasGateway),
    },
  );
}

function firstAgentYaml(hasGateway: boolean): string {
  const agents = `agents:\n  me:\n    allow: ['*', 'resource:*', 'prompt:*']`;
  return hasGateway ? agents : `${agents}\ngateway:\n  anonymousAgent: me`;
}

/** With a comma after each member, so that it goes before the others. */
function firstAgentJson(hasGateway: boolean): string {
  const agents = `  "agents": { "me": { "allow": ["*", "resource:*", "prompt:*"] } },`;
  return hasGateway ? agents : `${agents}\n  "gateway": { "anonymousAgent": "me" },`;
}
