import type { CertificateIdentity } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  codes,
  DANA,
  decide,
  ISSUER,
  identity,
  imageSignature,
  policy,
  REVIEW,
  review,
} from '../../test/image-evidence.ts';

type Purpose = NonNullable<CertificateIdentity['purpose']>;
const by = (purpose: Purpose): CertificateIdentity => ({ ...agent(), purpose });
const BUILD = 'https://build.example/provenance';

describe.each(['strict', 'spec'] as const)('under %s', (profile) => {
  const own = [policy(`profile: ${profile}`)];
  const reviewed = profile === 'strict' ? review() : review(REVIEW, by('review'));

  it.each(['commit', 'review'] as const)('the signature of an image by a certificate for a %s is none', (purpose) => {
    const found = decide([imageSignature(by(purpose))], { policies: own }).reasons[0]!;
    expect(found.code).toBe('admission.signature_rejected');
    expect(found.found).toContain('certificate.purpose_mismatch');
    expect(codes([imageSignature(by('artifact')), reviewed], { policies: own })).toEqual([]);
    expect(codes([imageSignature(by(purpose)), reviewed], { policies: own })).not.toEqual([]);
  });

  it('a required signature is none by another purpose', () => {
    const requiring = [
      policy(`profile: ${profile}\nrequire: [{ issuer: ${ISSUER}, subject: "build:1", predicateType: ${BUILD} }]`),
    ];
    const codesBy = (purpose: Purpose) => {
      const build = attestation(identity('build:1', { purpose }), BUILD, {});
      return codes([imageSignature(), reviewed, build], { policies: requiring });
    };
    expect(codesBy('artifact')).toEqual([]);
    expect(codesBy('commit')).toEqual(['required_signature_missing']);
    expect(codesBy('review')).toEqual(['required_signature_missing']);
  });
});

describe('a review', () => {
  it.each([undefined, 'review', 'artifact'] as const)('approves by a certificate for %s', (purpose) => {
    const dana = identity(DANA, purpose === undefined ? {} : { purpose });
    expect(codes([imageSignature(), review(REVIEW, dana)])).toEqual([]);
  });

  it('by a certificate for a commit approves nothing, and its rejection is heard', () => {
    const dana = identity(DANA, { purpose: 'commit' });
    expect(codes([imageSignature(), review(REVIEW, dana)])).toEqual(['review_not_verified']);
    const rejection = review({ ...REVIEW, decision: 'rejected' }, dana);
    expect(codes([imageSignature(), review(), rejection])).toEqual(['review_rejected']);
  });

  it('of the type that a policy names is a review like any other', () => {
    const TYPE = 'https://acme.example/code-review';
    const policies = [policy(`review: { predicateType: ${TYPE} }\nnegatives: none`)];
    const dana = identity(DANA, { purpose: 'review' });
    expect(codes([imageSignature(), attestation(dana, TYPE, REVIEW)], { policies })).toEqual([]);
    const rejection = attestation(dana, TYPE, { ...REVIEW, decision: 'rejected' });
    expect(codes([imageSignature(), rejection], { policies })).toContain('review_rejected');
  });
});
