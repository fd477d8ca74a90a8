const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/;
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
const HOST_AND_PORT = /^(\[[0-9a-f:]{2,39}\]|[^:]*)(?::(\d{1,5}))?$/;
const GREATEST_PORT = 65_535;

/** The registry that a name without one means, as policy-controller writes it. */
export const DEFAULT_REGISTRY = 'index.docker.io';

const DOCKER_HUB_NAMES = [DEFAULT_REGISTRY, 'docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]'];

/** True when the first segment of an image's name is a registry and not a part of the repository. */
export function isRegistry(segment: string): boolean {
  return segment.includes('.') || segment.includes(':') || segment === 'localhost';
}

/**
 * The one name of a registry, whichever way it is spelled: lower case, without the port that it has anyway (443, on
 * this machine 80), Docker Hub as `index.docker.io`, this machine as `localhost`, an IPv6 address with all its parts.
 * Undefined for what is no host, and for ports and addresses that are written in any but the usual way (`:0443`,
 * `127.1`). For comparing: what is asked for over the network is what the user wrote.
 */
export function normaliseRegistry(registry: string): string | undefined {
  const [, written, port] = HOST_AND_PORT.exec(registry.toLowerCase()) ?? [];
  const host = written === undefined ? undefined : normaliseHost(written);
  if (host === undefined || (port !== undefined && !isPort(port))) return undefined;
  const name = port === undefined || port === defaultPort(host) ? host : `${host}:${port}`;
  return DOCKER_HUB_NAMES.includes(name) ? DEFAULT_REGISTRY : name;
}

/** Every spelling of a normalised registry against which a pattern with stars in its registry is held. */
export function spellingsOf(registry: string): readonly string[] {
  const [, host = '', port] = HOST_AND_PORT.exec(registry) ?? [];
  const hosts = registry === DEFAULT_REGISTRY ? DOCKER_HUB_NAMES : host === 'localhost' ? LOOPBACK_NAMES : [host];
  if (port !== undefined) return hosts.map((name) => `${name}:${port}`);
  return hosts.flatMap((name) => [name, `${name}:${defaultPort(host)}`]);
}

function normaliseHost(host: string): string | undefined {
  if (host.startsWith('[')) return normaliseIpv6(host.slice(1, -1));
  if (!HOST_NAME.test(host)) return undefined;
  const labels = host.split('.');
  // What ends in a number is an IPv4 address to every client, in more spellings than this one.
  if (NUMBER_LABEL.test(labels.at(-1) ?? '') && !isIpv4(labels)) return undefined;
  const isLoopback = host.endsWith('.localhost') || (isIpv4(labels) && (labels[0] === '127' || host === '0.0.0.0'));
  return isLoopback ? 'localhost' : host;
}

function isIpv4(labels: readonly string[]): boolean {
  return labels.length === 4 && labels.every((label) => /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255);
}

function normaliseIpv6(address: string): string | undefined {
  const [head = '', tail, ...more] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (more.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  const numbers = groups.map((group) => Number.parseInt(group, 16));
  const last = numbers.slice(6);
  const isZeroTo = (end: number) => numbers.slice(0, end).every((number) => number === 0);
  // ::1, the unspecified address that reaches this machine too, and 127.0.0.0/8 as an IPv4-mapped address.
  if (isZeroTo(7) && (last[1] === 1 || last[1] === 0)) return 'localhost';
  if (isZeroTo(5) && numbers[5] === 0xffff && (last[0] ?? 0) >> 8 === 127) return 'localhost';
  return `[${numbers.map((number) => number.toString(16)).join(':')}]`;
}

function isPort(port: string): boolean {
  return !port.startsWith('0') && Number(port) <= GREATEST_PORT;
}

/** Registries on this machine are asked over plain HTTP, all others over HTTPS. */
function defaultPort(host: string): string {
  return host === 'localhost' ? '80' : '443';
}
