import { createHttpWire } from './http-wire.ts';
import { openStdioWire } from './stdio-wire.ts';
import type { Wire, WireLimits, WireTarget } from './wire.ts';

/** Opens the wire to a server: starts a program, or takes a URL. Rejects with a WireError. */
export async function openWire(target: WireTarget, limits: WireLimits = {}): Promise<Wire> {
  return 'url' in target ? createHttpWire(target, limits) : openStdioWire(target, limits);
}
