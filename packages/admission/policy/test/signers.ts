// Everybody whom generated policies name, and everybody whom none of them does.
import { generateKeyPairSync } from 'node:crypto';
import { type CertificateIdentity, keyIdentity } from '@colophon/records';
import { publicKeyName } from '../src/public-key/public-key.ts';
import { CI, DANA, ISSUER, identity } from './image-evidence.ts';

const PARTNER = 'https://partner.example';
const pair = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
const keyOf = (pem: string) => keyIdentity(publicKeyName(pem) as string);

/** PEM of keys that policies name. */
export const KEYS = { agentKey: pair(), buildKey: pair() } as const;

/** By the name that a generated policy has for them. */
export const SIGNERS = {
  writer: identity('agent:writer'),
  fixer: identity('agent:fixer'),
  partner: identity('agent:writer', { issuer: PARTNER }),
  agentKey: keyOf(KEYS.agentKey),
  build: identity('build', { issuer: CI }),
  release: identity('release', { issuer: CI }),
  buildKey: keyOf(KEYS.buildKey),
  dana: identity(DANA),
  eve: identity('reviewer:eve@example.com'),
  lead: identity('reviewer:lead@example.com'),
} as const satisfies Readonly<Record<string, CertificateIdentity>>;
export type SignerName = keyof typeof SIGNERS;

/** Nobody of them is in any policy, whatever they are called. */
export const STRANGERS: readonly CertificateIdentity[] = [
  identity('agent:other'),
  identity('agent:writer2'),
  identity('agent:writer', { issuer: 'https://issuer.example.evil' }),
  identity('agent:writer', { issuer: '' }),
  identity('Agent:writer'),
  identity('build', { issuer: ISSUER }),
  identity('reviewer:dana@example.com', { issuer: 'https://evil.example' }),
  identity('mallory@example.com', { issuer: CI, subject_type: 'email' }),
  identity(SIGNERS.agentKey.subject, { issuer: ISSUER }),
  identity('toString', { issuer: CI }),
  keyOf(pair()),
];

const RULES: Readonly<Record<SignerName, object>> = {
  writer: { issuer: ISSUER, subjectRegExp: 'agent:(writer|scribe)' },
  fixer: { issuer: ISSUER, subject: 'agent:fixer' },
  partner: { issuer: PARTNER, subject: 'agent:writer' },
  agentKey: { key: KEYS.agentKey },
  build: { issuer: CI, subject: 'build' },
  release: { issuer: CI, subjectRegExp: 'rel.ase' },
  buildKey: { key: KEYS.buildKey },
  dana: { issuer: ISSUER, subject: DANA },
  eve: { issuer: ISSUER, subjectRegExp: 'reviewer:eve@example\\.com' },
  lead: { issuer: ISSUER, subject: 'reviewer:lead@example.com' },
};

/** How a policy writes who may sign: one alone, or a list. */
export function ruleFor(names: readonly SignerName[]): object {
  const rules = names.map((name) => RULES[name]);
  return rules.length === 1 ? (rules[0] as object) : { identities: rules };
}
