import { type Client, createRestartPolicy } from '@switchyard/client';
import { connect } from '@switchyard/client/node';

/** All clients of this program share what is known of the server: its count of failures, its waits and its circuit. */
const restart = createRestartPolicy({ maxShortLives: 3, circuitOpenMs: 60_000 });

/** Starts a server and hands its log on, line by line, without control characters and secrets. */
export function startServer(program: string, apiKey: string, log: (line: string) => void): Promise<Client> {
  const command = { command: process.execPath, args: [program], env: { API_KEY: apiKey }, onStderr: log };
  return connect(command, { name: 'depot', restart });
}

/** What the button "try again" does: the next call starts the server at once. */
export function tryAgain(): void {
  restart.reset();
}
