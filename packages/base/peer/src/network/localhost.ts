import dns, { type LookupAddress, type LookupOptions } from 'node:dns';

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** This machine, at the addresses that every server of ours listens on. */
const HERE = { address: '127.0.0.1', family: 4 } as const;
const HERE_6 = { address: '::1', family: 6 } as const;

/**
 * A lookup that finds `localhost` where the machine itself does not, as in a container without /etc/hosts.
 * @see RFC 6761 §6.3: names below localhost are this machine's loopback address
 */
export function findsLocalhost(lookup: typeof dns.lookup): typeof dns.lookup {
  const find = (hostname: string, ...rest: [Callback] | [LookupOptions | number, Callback]) => {
    const callback = rest.at(-1) as Callback;
    const options = rest.length === 1 ? {} : (rest[0] as LookupOptions | number);
    const { all: isAll = false, family: asked } = typeof options === 'number' ? { family: options } : (options ?? {});
    const here = asked === 6 || asked === 'IPv6' ? HERE_6 : HERE;
    lookup(hostname, options as LookupOptions, (error, address, family) => {
      if (error === null || !/^(?:.+\.)?localhost\.?$/i.test(hostname)) return callback(error, address, family);
      if (isAll) return callback(null, [here]);
      callback(null, here.address, here.family);
    });
  };
  return Object.assign(find, { __promisify__: lookup.__promisify__ }) as typeof dns.lookup;
}

/** Has every connection of this process look names up so. */
export function findLocalhostEverywhere(): void {
  dns.lookup = findsLocalhost(dns.lookup);
}
