import { chooseAgent, type Configuration } from '@switchyard/config';
import { GatewayError } from './gateway-error.ts';

const KEY = ['gateway', 'anonymousAgent'] as const;

/**
 * Answers which agent a caller is that nobody authenticated: the given one, else `gateway.anonymousAgent`. Throws
 * GatewayError `no-agent` or `unknown-agent`.
 */
export function anonymousAgent(configuration: Pick<Configuration, 'gateway' | 'agents'>, given?: string): string {
  const choice = chooseAgent(configuration, { given });
  if ('agent' in choice) return choice.agent;
  const { problem, message } = choice;
  if (problem === 'unknown') throw new GatewayError('unknown-agent', message, KEY);
  const [first] = Object.keys(configuration.agents);
  const mend =
    first === undefined
      ? 'add one under agents, and its name as gateway.anonymousAgent'
      : `add "anonymousAgent: ${first}" under gateway`;
  throw new GatewayError('no-agent', `gateway.anonymousAgent is missing, and ${message}: ${mend}`, KEY);
}
