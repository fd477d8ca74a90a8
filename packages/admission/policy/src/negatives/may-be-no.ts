import type { CertificateIdentity, Person, Statement } from '@colophon/records';
import type { OwnTypes } from '../meaning/meaning.ts';
import { type HeardName, heardIssuer, heardName, heardNames } from '../policy/heard-name.ts';
import type { IdentityRule } from '../policy/identity-rule.ts';
import { isNegativeStatement } from './negative-statement.ts';

/** What somebody signed; of a word in a list of standing negatives only that it says no. */
export type Said =
  | 'listed'
  | { readonly statement: Pick<Statement, 'predicateType' | 'predicate'>; readonly own?: OwnTypes };

/**
 * True where something signed may be a no by one of whom a rule names: in whatever spelling the certificate names them, and
 * of whatever type. It never makes a yes: for that, `accepts` of the rule and the exact type count.
 * @param accepted whom the rule accepts of those who signed: another spelling of one of them is heard, whatever the pattern
 */
export function mayBeNoOf(
  rule: IdentityRule,
  identity: CertificateIdentity,
  said: Said,
  accepted: AcceptedNames = new Map(),
): boolean {
  if (said !== 'listed' && !isNegativeStatement(said.statement, said.own)) return false;
  return rule.mayName(identity) || (rule.mayComeFrom(identity) && isAmong(rule, identity, accepted));
}

/** The issuers that certify each name of those whom a rule accepts. */
export type AcceptedNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Whom a rule accepts of those who signed, for {@link mayBeNoOf}. */
export function acceptedNames(rule: IdentityRule, signers: Iterable<CertificateIdentity>): AcceptedNames {
  const accepted = new Map<string, Set<string>>();
  for (const signer of signers) {
    if (!rule.accepts(signer)) continue;
    for (const name of heardNames(signer, rule.hearing).map(keyOf)) {
      const issuers = accepted.get(name) ?? new Set();
      accepted.set(name, issuers.add(signer.issuer));
    }
  }
  return accepted;
}

function isAmong(rule: IdentityRule, identity: CertificateIdentity, accepted: AcceptedNames): boolean {
  if (accepted.size === 0) return false;
  // Only people are the same at several issuers.
  const isSame = ({ kind }: HeardName) => (kind === 'person' ? rule.isSameIssuer : BY_ADDRESS.isSameIssuer);
  return heardNames(identity, rule.hearing).some((name) =>
    [...(accepted.get(keyOf(name)) ?? [])].some((issuer) => isSame(name)(issuer, identity.issuer)),
  );
}

function keyOf({ kind, name }: HeardName): string {
  return `${kind} ${name}`;
}

type SamePeople = Pick<IdentityRule, 'isSameIssuer' | 'hearing'>;

/** Where no rule says more: one address, in whatever spelling, at one issuer. */
const BY_ADDRESS: SamePeople = {
  isSameIssuer: (one, other) => heardIssuer(one) === heardIssuer(other),
  hearing: {},
};

/** True for two names of one person, in whatever spelling, by what a rule says of issuers and addresses. */
export function mayBeOnePerson(one: Person, other: Person, rule = BY_ADDRESS): boolean {
  if (!rule.isSameIssuer(one.issuer, other.issuer)) return false;
  return keyOf(heardName(one.address, rule.hearing)) === keyOf(heardName(other.address, rule.hearing));
}
