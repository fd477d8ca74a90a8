import type { BlockList } from 'node:net';
import { PeerError } from '../peer-error/peer-error.ts';
import { blockListOf, isDirect } from './direct-hosts.ts';
import { findLocalhostEverywhere } from './localhost.ts';

/** What is in force: Node's variables, and which hosts are asked without the proxy although it would be used. */
type ProxyInForce = {
  readonly variables: ProxyVariables;
  readonly networks: BlockList;
  readonly direct: Set<string>;
};

/** Variables that Node reads. */
type ProxyVariables = { readonly HTTPS_PROXY?: string; readonly HTTP_PROXY?: string; readonly NO_PROXY: string };

let inForce: ProxyInForce | undefined;
let isUsed = false;
let isStoreLoaded = false;

/**
 * Makes this process ask other machines as the other programs of this machine do: through the proxy that `HTTPS_PROXY`,
 * `HTTP_PROXY` and `NO_PROXY` name (in capitals or small letters), and with the certificate authorities of the
 * machine's store beside those of Node; `localhost` is this machine also where nobody told it so. For a program to call once; a library leaves it to its program.
 * @throws PeerError `peer.proxy_invalid`
 */
export function useMachineNetwork(env: Readonly<Record<string, string | undefined>>): void {
  if (isUsed) return;
  const variables = proxyVariables(env);
  if (variables !== undefined) {
    inForce = { variables, networks: blockListOf(variables.NO_PROXY.split(',')), direct: new Set() };
    setGlobalProxyFromEnv(variables);
  }
  findLocalhostEverywhere();
  isUsed = true;
}

/**
 * Has a host asked without the proxy where it is this machine or in a network of `NO_PROXY`. A proxy would read the
 * tokens for this machine, and could not reach it. Node knows neither networks nor other addresses of this machine
 * than those that its `NO_PROXY` spells out, so the host is added there before it is asked.
 */
export function reachDirectly(url: URL): void {
  if (inForce === undefined || inForce.direct.has(url.hostname) || !isDirect(url, inForce.networks)) return;
  const { variables, direct } = inForce;
  direct.add(url.hostname);
  setGlobalProxyFromEnv({ ...variables, NO_PROXY: [variables.NO_PROXY, ...direct].filter(Boolean).join(',') });
}

/** Loaded where there is a proxy: most of what a short command needs is spent on loading. */
function setGlobalProxyFromEnv(variables: ProxyVariables): void {
  process.getBuiltinModule('node:http').setGlobalProxyFromEnv(variables);
}

/** What Node makes of a proxy's variables, or undefined where none is used. @throws PeerError `peer.proxy_invalid` */
function proxyVariables(env: Readonly<Record<string, string | undefined>>): ProxyVariables | undefined {
  const https = proxyAddress(env, 'HTTPS_PROXY');
  const http = proxyAddress(env, 'HTTP_PROXY');
  const without = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(/[\s,]+/).filter(Boolean);
  if ((https === undefined && http === undefined) || without.includes('*')) return undefined;
  return {
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(http !== undefined && { HTTP_PROXY: http }),
    NO_PROXY: without.join(','),
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
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
