import { afterEach } from 'vitest';
import type { Host } from '../src/host.ts';
import { openTestHost } from './open-test-host.ts';

const hosts: Host[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** Closes a host after the test that opened it. */
export function closeAfterwards(host: Host): Host {
  hosts.push(host);
  return host;
}

/** Opens a host that its test need not close. */
export async function open(...args: Parameters<typeof openTestHost>): Promise<Host> {
  return closeAfterwards(await openTestHost(...args));
}
