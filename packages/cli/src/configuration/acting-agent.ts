import { chooseAgent, type Configuration } from '@switchyard/config';
import { Failure } from '../failure.ts';

/** Answers the agent to act as: the given one, else `gateway.anonymousAgent`, else the only one. Throws a failure that names the agents. */
export function actingAgent(configuration: Configuration, given: string | undefined, file: string): string {
  const choice = chooseAgent(configuration, { given, orTheOnlyOne: true });
  if ('agent' in choice) return choice.agent;
  const mend = Object.keys(configuration.agents).length === 0 ? 'add one under agents' : 'say --as AGENT';
  throw new Failure('configuration', `${file}: ${choice.message}; ${mend}.`);
}
