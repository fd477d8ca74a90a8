import { isLoopback } from '@colophon/peer';

/**
 * Whether keys may come from an address, and issuers be discovered at it: https, or http on this machine, and no login
 * or fragment in it. Over plain http anybody on the way could put keys of their own in.
 */
export function isKeyAddress(address: string): boolean {
  // URL would pass over white space and control characters.
  if (!/^[\x21-\x7e]+$/.test(address) || !URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  const isProtected = protocol === 'https:' || (protocol === 'http:' && isLoopback(address));
  return isProtected && username === '' && password === '' && !address.includes('#');
}
