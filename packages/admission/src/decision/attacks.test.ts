import type { CertificateIdentity } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  attestation,
  CI,
  COMMIT,
  codes,
  ISSUER,
  identity,
  image,
  imageSignature,
  review,
} from '../../test/image-evidence.ts';
import { parsePolicy, parseRequireRules } from '../policy/policy.ts';
import type { AdmissionInput } from './decision.ts';
import { decideRequiredSigners } from './required-signers.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

function under(rest: string, more: Partial<AdmissionInput> = {}): Partial<AdmissionInput> {
  const parsed = parsePolicy(`version: 1\nname: production\nimages: [ghcr.io/acme/**]\n${rest}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { policies: [parsed.value], nowSeconds: NOON, ...more };
}
const HUMAN = `human: { issuer: ${CI}, subject: build }`;
const build = (more: Partial<CertificateIdentity> = {}) => imageSignature(identity('build', { issuer: CI, ...more }));
const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
const good = () => [imageSignature(), review()];

describe('a statement whose type is a name that every object has', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is a statement like any other', (type) => {
    const hostile = attestation(identity('reviewer:mallory@example.com'), type, { result: 'FAILED' });
    expect(codes([...good(), hostile])).toEqual([]);
    const rules = parseRequireRules(`{ issuer: ${ISSUER}, subject: agent:writer }`);
    if (!rules.ok) throw new Error(JSON.stringify(rules.issues));
    const found = { image, signatures: [imageSignature(), hostile], rejected: [] };
    expect(decideRequiredSigners(rules.value, found).findings).toEqual([]);
  });
});

describe('a no to what people made', () => {
  it('counts where it names nothing but the commit of their certificate', () => {
    const scanner = identity('scan', { issuer: CI });
    const scanned = under(`${HUMAN}\nrequire: [{ issuer: ${CI}, subject: scan, predicateType: ${TEST_RESULT} }]`);
    const passed = [build({ claims: { commit_sha: COMMIT } }), attestation(scanner, TEST_RESULT, { result: 'PASSED' })];
    expect(codes(passed, scanned)).toEqual([]);
    const rejection = review({ decision: 'rejected' }, scanner, [{ digest: { gitCommit: COMMIT } }]);
    expect(codes([...passed, rejection], scanned)).toEqual(['review_rejected']);
  });

  it('counts where they say it themselves', () => {
    const failed = attestation(identity('build', { issuer: CI }), TEST_RESULT, { result: 'FAILED' });
    expect(codes([build(), failed], under(HUMAN))).toEqual(['verdict_failed']);
  });
});
