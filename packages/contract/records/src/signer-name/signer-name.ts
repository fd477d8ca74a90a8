const BY_ISSUER = ' certified by ';

/** What a policy calls the subject of a certificate that must be by this issuer. */
export function signerName(subject: string, issuer: string): string {
  return `${subject}${BY_ISSUER}${issuer}`;
}

/** Every name under which a policy may know the holder of a certificate: the subject alone, and with its issuer. */
export function signerNames({ subject, issuer }: { readonly subject: string; readonly issuer: string }): string[] {
  // A subject that reads like one with its issuer would pass for somebody whom that issuer certified.
  return [...(subject.includes(BY_ISSUER) ? [] : [subject]), signerName(subject, issuer)];
}
