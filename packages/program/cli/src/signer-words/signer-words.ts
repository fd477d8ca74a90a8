/** Who signed, as far as its issuer and its root go. */
type Certified = { readonly issuer: string; readonly root?: string | undefined };

/** `https://agents.acme.example, root own`: whose word it is that this is the signer. */
export function issuerWords({ issuer, root }: Certified): string {
  return root === undefined ? issuer : `${issuer}, root ${root}`;
}

/** `reviewer:alice@example.com (root own)`. */
export function withRoot(subject: string, root: string | undefined): string {
  return root === undefined ? subject : `${subject} (root ${root})`;
}
