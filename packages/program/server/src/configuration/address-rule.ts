import { BlockList, type IPVersion, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** An address that a server can listen on: an IP address, or `localhost` for both loopback families. */
export function isListenAddress(text: string): boolean {
  return text === 'localhost' || isIP(text) !== 0;
}

/** Whether only programs on this machine can reach it. */
export function isLoopbackAddress(text: string): boolean {
  return text === 'localhost' || hasAddress(LOOPBACK, text);
}

/** An IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address, bits, ...more] = text.split('/');
  const family = isIP(address!);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** The networks as one list to look an address up in. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address, bits] = text.split('/');
    const family = familyOf(address!);
    if (bits === undefined) list.addAddress(address!, family);
    else list.addSubnet(address!, Number(bits), family);
  }
  return list;
}

/** Whether the network list has the address of a peer; an IPv4 address that a socket of both families shows counts as such. */
export function hasAddress(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): IPVersion {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Whether the host of an address is this machine. */
export function hasLoopbackHost({ hostname }: URL): boolean {
  return isLoopbackAddress(hostname.replaceAll(/[[\]]/g, ''));
}

/**
 * Whether `text` is an absolute address as a URL parser writes it, without user, query and fragment; with `http` only
 * where its host is this machine. A slash at the end is as the issuer wants it.
 */
export function isServiceAddress(text: string): boolean {
  if (/[?#@\s\\]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.href !== text && url.href !== `${text}/`) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && hasLoopbackHost(url));
}
