import { InvalidArgumentError } from 'commander';

/** An http(s) address without user, query and fragment. */
export function isServiceUrl(text: string): boolean {
  if (!/^https?:\/\/[^/\s]\S*$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return !(username || password || search || hash);
}

/** The address of a service, for options. @throws InvalidArgumentError */
export function parseServiceUrl(text: string): string {
  if (isServiceUrl(text)) return text;
  throw new InvalidArgumentError('An address begins with http:// or https://, and has no user, query or fragment.');
}
