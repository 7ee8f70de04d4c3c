import process from 'node:process';
import { Writable } from 'node:stream';

/**
 * Takes standard output for the protocol and answers the stream to write messages to. Whatever else in the process
 * prints to standard output, `console.log` included, goes to standard error from here on.
 *
 * Spec: basic/transports/stdio (2026-07-28): a server writes nothing but messages to standard output.
 */
export function guardStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const writeStdout = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, callback) {
      writeStdout(chunk, (error) => callback(error));
    },
  });
  stdout.on('error', (error) => output.destroy(error));
  return output;
}
