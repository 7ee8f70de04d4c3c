import { describe, expect, it } from 'vitest';
import { chooseAgent } from '../src/choose-agent.ts';
import { checkConfiguration } from '../src/parse-configuration.ts';

function configurationOf(agents: readonly string[], anonymousAgent?: string) {
  const value = {
    agents: Object.fromEntries(agents.map((agent) => [agent, {}])),
    gateway: anonymousAgent === undefined ? {} : { anonymousAgent },
  };
  return checkConfiguration(value, { env: {}, folder: '/somewhere' }).configuration;
}

describe('the choice of an agent', () => {
  it('takes the given one before gateway.anonymousAgent', () => {
    const configuration = configurationOf(['reader', 'writer'], 'reader');
    expect(chooseAgent(configuration)).toEqual({ agent: 'reader' });
    expect(chooseAgent(configuration, { given: 'writer' })).toEqual({ agent: 'writer' });
  });

  it('takes the only one where nothing names one, and only where that is wanted', () => {
    expect(chooseAgent(configurationOf(['reader']), { orTheOnlyOne: true })).toEqual({ agent: 'reader' });
    expect(chooseAgent(configurationOf(['reader']))).toMatchObject({ problem: 'unsaid' });
    expect(chooseAgent(configurationOf(['a', 'b']), { orTheOnlyOne: true })).toMatchObject({ problem: 'unsaid' });
    expect(chooseAgent(configurationOf([]), { orTheOnlyOne: true })).toMatchObject({ problem: 'unsaid' });
  });

  it.each(['admin', 'toString', '__proto__', ''])(
    'refuses %j, which does not exist, and names those that do',
    (given) => {
      expect(chooseAgent(configurationOf(['reader', 'writer'], 'reader'), { given })).toEqual({
        problem: 'unknown',
        message: `there is no agent ${JSON.stringify(given)}; agents are: reader, writer`,
      });
    },
  );
});
