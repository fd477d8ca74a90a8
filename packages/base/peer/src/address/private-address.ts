import { BlockList, isIP } from 'node:net';

// Of this machine, of a network of one's own, of a link (where clouds give out credentials), of tests, of many machines
// or of none, and IPv6 that holds such an address (IANA's special-purpose address registries).
const PRIVATE = {
  ipv4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ],
  ipv6: [
    ['::', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 32],
    ['2002::', 16],
    ['fc00::', 7],
    ['fe80::', 9],
    ['ff00::', 8],
  ],
} as const;

/**
 * Whether an address names, by number or as `localhost`, a machine that nobody outside could mean. IPv4 in IPv6 counts
 * as what it holds; other names are not looked up.
 */
export function isPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const family = isIP(host);
  return family !== 0 && privateNetworks().check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** Made when it is asked for: made at the start, it would take each process 3 ms. */
function privateNetworks(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of PRIVATE.ipv4) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of PRIVATE.ipv6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}
