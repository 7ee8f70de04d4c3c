import { BlockList, isIP } from 'node:net';

/** Answers whether a URL is reached without a proxy. */
export type NoProxy = (url: URL) => boolean;

/** One entry of `NO_PROXY`: a name with what is below it, or an address or a range of them. */
interface Entry {
  readonly matches: (host: string) => boolean;
  /** Absent: any. */
  readonly port: string | undefined;
}

const FORM = /^(.*?)(?::(\d+))?$/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** What an address means that stands for this machine, as the host of a URL. */
const thisMachine = rangeOf('127.0.0.0', 8);
thisMachine.addAddress('0.0.0.0');
thisMachine.addAddress('::1', 'ipv6');
thisMachine.addAddress('::', 'ipv6');

/**
 * Reads the value of `NO_PROXY`: names (`depot.example` counts for all below it, with or without a dot before it),
 * addresses and ranges of them (`10.0.0.0/8`, `fd00::/8`), each with a port where it counts for that alone, split by
 * commas or blanks; `*` is everything. This machine is always among them: `localhost` and what is below it, 127.0.0.0/8,
 * `::1`, and the addresses 0.0.0.0 and `::`, in whatever form. Names are compared, not looked up.
 */
export function readNoProxy(text: string): NoProxy {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const read = entries.map(readEntry);
  return (url) => {
    const host = hostOf(url);
    const port = url.port === '' ? defaultPorts[url.protocol] : url.port;
    return isThisMachine(host) || read.some((entry) => (entry.port ?? port) === port && entry.matches(host));
  };
}

/** The host of a URL as it is compared: without the brackets of an IPv6 address and the dot after a full name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isAmong(thisMachine, host);
}

function readEntry(entry: string): Entry {
  // An IPv6 address without brackets is one colon after the other.
  const [, name = '', port] = isIP(entry.split('/', 1)[0] ?? '') === 6 ? [entry, entry] : (FORM.exec(entry) ?? []);
  return { matches: matcherOf(name.replace(/^\[(.*)\]/, '$1').toLowerCase()), port };
}

function matcherOf(name: string): Entry['matches'] {
  const [address = '', bits] = name.split('/');
  const version = isIP(address);
  if (version !== 0) {
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (!/^\d{1,3}$/.test(bits ?? '0') || length > most) return () => false;
    const range = rangeOf(address, length);
    return (host) => isAmong(range, host);
  }
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return (host) => host === bare || host.endsWith(`.${bare}`);
}

function rangeOf(address: string, bits: number): BlockList {
  const range = new BlockList();
  range.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return range;
}

/** An IPv4 address that is written as one of IPv6 counts as what it is. */
function isAmong(range: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && range.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
