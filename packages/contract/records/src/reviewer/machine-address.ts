import { isEmailAddress } from '../email-address/email-address.ts';
import { isAgentAddress } from './agent-address.ts';
import { foldedAddress } from './folded-address.ts';

/** Local parts that programs have, wherever they are, without case and tag. */
const LOCAL_PARTS: readonly RegExp[] = [
  // Whoever answers reaches nobody.
  /(?:^|[-._])(?:no[-._]?reply|do[-._]?not[-._]?reply)(?:$|[-._\d])/,
  // Apps of GitHub; bots that somebody named so. A person may be called Bot: `jan.bot@`.
  /\[bot\]/,
  /(?:^|[-_])(?:ro)?bots?$/,
  /^(?:dependabot|renovate|github-actions|web-flow|actions-user|mailer-daemon|jenkins|ci|ci-?cd|automation|notifications?)$/,
  /(?:^|[-_])agent$/,
  // GitLab: access tokens of projects and groups, and service accounts.
  /^(?:project|group)_\d+_bot/,
  // GitLab, Keycloak and directories.
  /^(?:service[-_.]?accounts?|svc)[-_.]/,
];

/** Names of domains under which programs alone have addresses; not at their end, where `.bot` is anybody's. */
const DOMAIN_NAMES: readonly string[] = ['bot', 'bots', 'gserviceaccount', 'serviceaccount', 'serviceaccounts'];

/** Domains of platforms that only their programs have addresses of, with all below. */
const DOMAINS: readonly RegExp[] = [/(?:^|\.)connect\.atlassian\.com$/, /(?:^|\.)amazonaws\.com$/];

/** Where people have a private address for commits: `12345+alice@`, `12345-alice@`, `alice@`. */
const PRIVATE_DOMAIN = /(?:^|\.)users\.noreply\./;

/**
 * True for an e-mail address that a program has and no person: of an agent, an app or bot, a service account, or one that
 * nobody reads. A private address that a forge gives to a person is theirs. Of an issuer whose programs have people's
 * addresses nobody can tell: no policy should name it for reviews, and `review.domains` names those of the people.
 */
export function isMachineAddress(address: string): boolean {
  const folded = foldedAddress(address);
  const at = folded.lastIndexOf('@');
  const [whole, domain] = [folded.slice(0, at), folded.slice(at + 1)];
  // A URI may have an `@` too.
  if (at < 1 || domain === '' || /[/:]/.test(whole)) return false;
  const local = withoutTag(whole, domain);
  return (
    isAgentAddress(`${whole}@${domain}`) ||
    isAgentAddress(`${local}@${domain}`) ||
    LOCAL_PARTS.some((pattern) => pattern.test(local)) ||
    domain
      .split('.')
      .slice(0, -1)
      .some((label) => DOMAIN_NAMES.includes(label)) ||
    DOMAINS.some((pattern) => pattern.test(domain))
  );
}

/** True for an e-mail address by which a person can be named: whoever names or counts a person asks this. */
export function isPersonAddress(text: string): boolean {
  return isEmailAddress(text) && !isMachineAddress(text);
}

/** What names the account: behind the number of a private address, else before a tag. */
function withoutTag(local: string, domain: string): string {
  if (PRIVATE_DOMAIN.test(domain)) return local.replace(/^.*\+|^\d+-/, '');
  const plus = local.indexOf('+');
  return plus > 0 ? local.slice(0, plus) : local;
}
