import { BlockList, isIP } from 'node:net';

/** Addresses that reach this machine, IPv4 in IPv6 included. */
const THIS_MACHINE = ['127.0.0.0/8', '0.0.0.0/32', '::/127'];

/**
 * Whether a host is asked without a proxy though Node would use one: this machine under any of its addresses, and
 * addresses in a network of `NO_PROXY` (`10.0.0.0/8`), which curl, git and programs in Go read and Node does not. Names
 * and single addresses of `NO_PROXY` are left to Node.
 * @param networks of blockListOf
 */
export function isDirect({ hostname }: URL, networks: BlockList): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const family = isIP(host);
  if (family === 0) return false;
  return networks.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The networks among the members of a list, and this machine; everything else is passed over. */
export function blockListOf(members: readonly string[]): BlockList {
  const list = new BlockList();
  for (const member of [...THIS_MACHINE, ...members]) {
    const [, address = '', length = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(member) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(length) > (family === 4 ? 32 : 128)) continue;
    list.addSubnet(address, Number(length), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
