import { isIP } from 'node:net';

/** A network that requests come from, and how many times the rate of one address it gets. */
export type AddressNetwork = { readonly key: string; readonly times: number };

/**
 * The networks of an address that count together. An IPv4 address stands alone, also as an IPv6 address that it is mapped
 * into. Of IPv6 a /64 counts as one address; whoever has a /56 or a /48 has 256 or 65,536 of those at no price, so that
 * these count too.
 * Some proxies write a port or a zone beside an address, which are chosen by who asks: they make no other address. All that
 * is no address is one, so that nobody has a new one for each request.
 * @see RFC 6177 §2, RFC 4291 §2.5.5.2
 */
export function networksOf(text: string): readonly AddressNetwork[] {
  const address = bareAddress(text);
  const groups = address.includes(':') ? groupsOf(address) : undefined;
  if (groups === undefined) return [{ key: isIP(address) === 4 ? address : 'no address', times: 1 }];
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return [{ key: octets.join('.'), times: 1 }];
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const site = [first, second, third].map((group) => group.toString(16)).join(':');
  return [
    { key: `${site}:${fourth.toString(16)}/64`, times: 1 },
    { key: `${site}:${(fourth >> 8).toString(16)}/56`, times: 4 },
    { key: `${site}/48`, times: 16 },
  ];
}

/** The address of `address`, `address:port`, `[address]:port` or `address%zone`; what is none of them stays as it is. */
export function bareAddress(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+)(?::\d{1,5})?$/.exec(text) ?? [];
  return (bracketed ?? plain ?? text).split('%', 1)[0]!;
}

/** The eight numbers of an IPv6 address; undefined for what is none. */
function groupsOf(address: string): number[] | undefined {
  const url = URL.parse(`http://[${address}]`);
  if (url === null) return undefined;
  const [head = '', tail = ''] = url.hostname.slice(1, -1).split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
