import type { VerifiedSignature } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  agent,
  CI,
  codes,
  DANA,
  decide,
  identity,
  imageSignature,
  policy,
  REVIEW,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';

type Format = NonNullable<VerifiedSignature['format']>;
const as = (format: Format, signature: VerifiedSignature) => ({ ...signature, format });
const demanding = (more = '') => ({ policies: [policy(`signatureFormat: bundle\n${more}`)] });
const approval = as('bundle', review());
const LATER = '2026-11-21T12:00:00Z';
const rejection = review({ ...REVIEW, decision: 'rejected' });
const laterApproval = review(REVIEW, identity(DANA), undefined, LATER);

describe('a policy that demands bundles', () => {
  it('admits what is signed and reviewed in bundles', () => {
    expect(codes([as('bundle', imageSignature()), approval], demanding())).toEqual([]);
  });

  it.each<[title: string, signatures: VerifiedSignature[], expected: string[]]>([
    ['a signature', [as('older-signature', imageSignature()), approval], ['signature_rejected']],
    ['a run', [as('older-attestation', run(RUN)), approval], ['signature_rejected']],
    ['a review', [as('bundle', imageSignature()), as('older-attestation', review())], ['review_not_verified']],
    ['a signature of no format', [imageSignature(), approval], ['signature_rejected']],
  ])('refuses %s in another format, which others admit', (_title, signatures, expected) => {
    expect(codes(signatures)).toEqual([]);
    expect(codes(signatures, demanding())).toEqual(expected);
  });

  it('says so', () => {
    const [reason] = decide([as('older-signature', imageSignature()), approval], demanding()).reasons;
    expect(reason?.found).toContain(
      'admission.signature_format: a signature of agent:writer is not in the bundle format',
    );
  });

  it('meets no rule of require by another format', () => {
    const builder = imageSignature(identity('build', { issuer: CI }));
    const rule = demanding(`require: [{ issuer: ${CI}, subject: build }]`);
    const signed = [as('bundle', imageSignature()), approval];
    expect(codes([...signed, as('bundle', builder)], rule)).toEqual([]);
    expect(codes([...signed, as('older-signature', builder)], rule)).toEqual(['required_signature_missing']);
  });

  it('hears a no in any format, and takes one back in none but its own', () => {
    const signed = [as('bundle', imageSignature(agent())), approval];
    const no = as('older-attestation', rejection);
    expect(codes([...signed, no], demanding())).toContain('review_rejected');
    expect(codes([...signed, no, as('bundle', laterApproval)], demanding())).toEqual([]);
    expect(codes([...signed, no, as('older-attestation', laterApproval)])).toEqual([]);
    expect(codes([...signed, no, as('older-attestation', laterApproval)], demanding())).toContain('review_rejected');
  });
});
