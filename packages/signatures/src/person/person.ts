import { isEmailAddress, REVIEWER_PREFIX } from '@colophon/records';

/** Our issuer certifies people as `reviewer:<e-mail>`; others certify the bare address, and some a machine's like it. */
export function isPerson(subject: string): boolean {
  const address = subject.startsWith(REVIEWER_PREFIX) ? subject.slice(REVIEWER_PREFIX.length) : subject;
  return isEmailAddress(address) && !address.endsWith('.gserviceaccount.com');
}
