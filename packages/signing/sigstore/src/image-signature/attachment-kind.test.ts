import { expect, test } from 'vitest';
import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import { assertAttachmentKind } from './attachment-kind.ts';

const REVIEW = 'https://colophon.example/predicates/agent-review/v1';

test.each([
  ['bundle', SIGN_PREDICATE_TYPE],
  ['bundle', REVIEW],
  ['older-signature', undefined],
  ['older-attestation', REVIEW],
] as const)('%s of %s stands in its place', (format, type) => {
  expect(() => assertAttachmentKind(format, type)).not.toThrow();
});

test.each([
  ['bundle', undefined, 'image.not_a_signature'],
  ['older-attestation', undefined, 'image.not_a_signature'],
  ['older-attestation', SIGN_PREDICATE_TYPE, 'image.not_an_attestation'],
] as const)('%s of %s does not', (format, type, code) => {
  expect(() => assertAttachmentKind(format, type)).toThrow(expect.objectContaining({ code }));
});
