/** How service accounts and bots are addressed by the issuers that certify them like people, in lower case. */
const MACHINES: readonly RegExp[] = [
  // Google Cloud: default, own and managed service accounts.
  /[.@]gserviceaccount\.com$/,
  // GitHub: apps, also without their id.
  /\[bot\]@/,
  // GitLab: access tokens of projects and groups, and service accounts.
  /^(?:(?:project|group)_\d+_bot|service_account_)[^@]*@noreply\./,
];

/**
 * True for an e-mail address that its issuer gives to programs alone. Of an issuer whose service accounts have people's
 * addresses nobody can tell: no policy should name it for reviews.
 */
export function isMachineAddress(address: string): boolean {
  const folded = address.toLowerCase();
  return MACHINES.some((pattern) => pattern.test(folded));
}
