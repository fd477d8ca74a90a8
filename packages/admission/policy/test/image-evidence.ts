// Evidence about one image, as verification hands it to a decision.
import type { CertificateIdentity, Statement, Subject, VerifiedSignature } from '@colophon/records';
import { expect } from 'vitest';
import { type AdmissionInput, decideAdmission } from '../src/decision/decision.ts';
import { ADMISSION_REASON_CODES } from '../src/decision/reason.ts';
import { type Policy, parsePolicy } from '../src/policy/policy.ts';

export const ISSUER = 'https://issuer.example';
export const CI = 'https://ci.example';
export const SHA256 = 'a'.repeat(64);
export const OTHER_SHA256 = 'b'.repeat(64);
export const COMMIT = '1'.repeat(40);
export const OTHER_COMMIT = '2'.repeat(40);
export const BASE = 'https://colophon.example/predicates';
export const COSIGN = 'https://sigstore.dev/cosign/sign/v1';
export const DANA = 'reviewer:dana@example.com';
export const image = { reference: 'ghcr.io/acme/app:v1', digest: `sha256:${SHA256}` };

const loaded = new Map<string, Policy>();

/** Policies are loaded once each: what is tried here is what they decide. */
export function policy(more = '', agent = 'subjectRegExp: agent:(writer|fixer)'): Policy {
  const known = loaded.get(more + agent);
  if (known !== undefined) return known;
  const parsed = parsePolicy(`version: 1
name: production
images: [ghcr.io/acme/**]
agent: { issuer: ${ISSUER}, ${agent} }
${more}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  loaded.set(more + agent, parsed.value);
  return parsed.value;
}

let nextIndex = 0;
export const log = (integrated_at = '2026-11-21T10:00:00Z') => ({
  log_index: nextIndex++,
  log_id: 'cc',
  integrated_at,
});

export function identity(subject: string, more: Partial<CertificateIdentity> = {}): CertificateIdentity {
  return { issuer: ISSUER, subject, claims: {}, sources: {}, ...more };
}

export function agent(subject = 'agent:writer', claims: CertificateIdentity['claims'] = { commit_sha: COMMIT }) {
  return identity(subject, { claims, sources: { commit_sha: 'caller-token', repo: 'declared' } });
}

export const imageSignature = (by = agent(), artifactSha256 = SHA256): VerifiedSignature => ({
  certificate_identity: by,
  artifact_digest: `sha256:${artifactSha256}`,
  log_entry: log(),
});

export function attestation(
  by: CertificateIdentity,
  predicateType: string,
  predicate: unknown,
  subject: Subject[] = [{ name: 'app', digest: { sha256: SHA256 } }],
  integratedAt?: string,
): VerifiedSignature {
  const statement: Statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
  const entry = log(integratedAt);
  return { certificate_identity: by, statement, certified_at: entry.integrated_at, log_entry: entry };
}

export const REVIEW = {
  human_reviewer: 'dana@example.com',
  review_timestamp: '2026-11-21T09:00:00Z',
  commit_sha: COMMIT,
};

export const review = (predicate: unknown = REVIEW, by = identity(DANA), subject?: Subject[], integratedAt?: string) =>
  attestation(by, `${BASE}/agent-review/v1`, predicate, subject, integratedAt);
export const run = (predicate: unknown, by = agent()) => attestation(by, `${BASE}/agent-run/v1`, predicate);

export const RUN = {
  agent: { name: 'writer', version: '1' },
  model: { id: 'm', provider: 'p' },
  input: { prompt_hash: `sha256:${'c'.repeat(64)}` },
  policy: { pack_hash: `sha256:${'d'.repeat(64)}` },
  git: { commit_sha: COMMIT },
};

/** A run of the writer, of which statement and certificate say that it made this commit. */
export const runAt = (commit_sha: string) =>
  run({ ...RUN, git: { commit_sha } }, agent('agent:writer', { commit_sha }));

export function decide(signatures: VerifiedSignature[], more: Partial<AdmissionInput> = {}) {
  const decision = decideAdmission({ image, signatures, rejected: [], policies: [policy()], ...more });
  for (const { code, message } of [...decision.reasons, ...decision.warnings]) {
    expect(ADMISSION_REASON_CODES).toContain(code);
    expect(message).toMatch(/^\S.*\.$/s);
  }
  return decision;
}

/** The codes of a refusal; empty when the image is admitted. */
export function codes(signatures: VerifiedSignature[], more: Partial<AdmissionInput> = {}): string[] {
  const decision = decide(signatures, more);
  expect(decision.admitted).toBe(decision.reasons.length === 0);
  return decision.reasons.map(({ code }) => code.replace('admission.', ''));
}
