import { formatPem, parsePem } from '@colophon/encoding';

/** An identity as a policy file has it. */
export type WrittenIdentity = {
  readonly issuer: string;
  readonly subject?: string | undefined;
  readonly subjectRegExp?: string | undefined;
};

/** Signers that a rule of a policy names: any of them will do. */
export type WrittenSigners = {
  readonly identities: readonly WrittenIdentity[];
  /** PEM of each public key, in the usual layout. */
  readonly keys: readonly string[];
};

type OneAuthority = { readonly [key in keyof WrittenIdentity | 'key']?: string | undefined };

/** What a rule names, in whichever of its three forms; the policy has been checked. */
export function signersOf(
  rule: OneAuthority & { readonly identities?: readonly OneAuthority[] | undefined },
): WrittenSigners {
  const all = rule.identities ?? [rule];
  return {
    identities: all.filter((one): one is WrittenIdentity => one.issuer !== undefined),
    keys: all.flatMap(({ key }) => (key === undefined ? [] : [usualPem(key)])),
  };
}

function usualPem(key: string): string {
  const [block] = parsePem(key, 'lax') ?? [];
  if (block === undefined) throw new TypeError('a key of a checked policy is PEM');
  return formatPem(block.label, block.der);
}

/** A pattern over the whole text, for who looks for it anywhere in one. */
export function anchored(pattern: string): string {
  return `^(?:${pattern})$`;
}
