import type { Configuration } from '@switchyard/config';
import { GatewayError } from './gateway-error.ts';

const KEY = ['gateway', 'anonymousAgent'] as const;

/**
 * Answers which agent a caller is that nobody authenticated: the given one, else `gateway.anonymousAgent`. Throws GatewayError `no-agent` or
 * `unknown-agent`.
 */
export function anonymousAgent({ gateway, agents }: Pick<Configuration, 'gateway' | 'agents'>, given?: string): string {
  const agent = given ?? gateway.anonymousAgent;
  const names = Object.keys(agents);
  if (agent === undefined) {
    const [first = 'reader'] = names;
    const missing = names.length === 0 ? `; there is no agent yet, so add one under agents first` : '';
    throw new GatewayError(
      'no-agent',
      `gateway.anonymousAgent is missing, so nobody would know what a caller may do: add "anonymousAgent: ${first}" under gateway${missing}`,
      KEY,
    );
  }
  if (!Object.hasOwn(agents, agent)) {
    const known = names.length === 0 ? 'none is configured' : `agents are: ${names.join(', ')}`;
    throw new GatewayError('unknown-agent', `there is no agent ${JSON.stringify(agent)}; ${known}`, KEY);
  }
  return agent;
}
