import { setGlobalProxyFromEnv } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { PeerError } from '../peer-error/peer-error.ts';

/** Services of this machine are never asked through a proxy: it would read their tokens, and could not reach them. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

let isUsed = false;
let isStoreLoaded = false;

/**
 * Makes this process ask other machines as the other programs of this machine do: through the proxy that `HTTPS_PROXY`,
 * `HTTP_PROXY` and `NO_PROXY` name (in capitals or small letters), and with the certificate authorities of the
 * machine's store beside those of Node. For a program to call once; a library leaves it to its program.
 * @throws PeerError `peer.proxy_invalid`
 */
export function useMachineNetwork(env: Readonly<Record<string, string | undefined>>): void {
  if (isUsed) return;
  const settings = proxySettings(env);
  if (settings !== undefined) setGlobalProxyFromEnv(settings);
  isUsed = true;
}

/** What Node makes of a proxy's variables, or undefined where none is named. @throws PeerError `peer.proxy_invalid` */
export function proxySettings(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | undefined {
  const https = proxyAddress(env, 'HTTPS_PROXY');
  const http = proxyAddress(env, 'HTTP_PROXY');
  const without = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if ((https === undefined && http === undefined) || without.trim() === '*') return undefined;
  return {
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(http !== undefined && { HTTP_PROXY: http }),
    NO_PROXY: [without, ...THIS_MACHINE].filter((one) => one !== '').join(','),
  };
}

/** As curl and Go read it: without a scheme it is http. */
function proxyAddress(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  if (value === '') return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  throw new PeerError('peer.proxy_invalid', `${name} names no http or https proxy`, {
    checked: `$${name}`,
    expected: 'http://HOST:PORT',
    next: `unset ${name}    (to do without)`,
  });
}

/** The machine's certificate authorities, read when the first TLS connection needs them: it takes some 50 ms. */
export function trustMachineStore(): void {
  if (!isUsed || isStoreLoaded) return;
  isStoreLoaded = true;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
