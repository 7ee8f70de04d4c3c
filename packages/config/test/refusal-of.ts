import { ConfigurationError, type ConfigurationFormat, parseConfiguration } from '@switchyard/config';

const ENV = { TOKEN: 'v-secret-1', EMPTY: '', BROKEN: 'line\nbreak', NUL: 'a\0b', SPACES: '  ' };

/** The error with which a text is refused. */
export function refusalOf(text: string, format: ConfigurationFormat = 'yaml'): ConfigurationError {
  try {
    parseConfiguration(text, { path: '/c/switchyard.yaml', format, env: ENV });
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** Each problem as `line:column message`, without the file. */
export function linesOf(text: string, format?: ConfigurationFormat): string[] {
  return refusalOf(text, format)
    .message.split('\n')
    .map((line) => line.replace('/c/switchyard.yaml:', ''));
}
