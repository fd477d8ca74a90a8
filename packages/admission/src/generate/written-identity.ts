/** An identity as a policy file has it. */
export type WrittenIdentity = {
  readonly issuer: string;
  readonly subject?: string | undefined;
  readonly subjectRegExp?: string | undefined;
};

/** A pattern over the whole text, for who looks for it anywhere in one. */
export function anchored(pattern: string): string {
  return `^(?:${pattern})$`;
}
