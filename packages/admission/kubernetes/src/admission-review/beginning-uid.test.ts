import { expect, it } from 'vitest';
import { beginningUid, REVIEW_BEGINNING_BYTES } from './beginning-uid.ts';

const KIND = '"kind":"AdmissionReview"';
const VERSION = '"apiVersion":"admission.k8s.io/v1"';
const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';
const uidIn = (text: string) => beginningUid(new TextEncoder().encode(text));

it('finds the uid of a review as it is written, however it goes on', () => {
  const request = `"request":{"uid":"${UID}"`;
  expect(uidIn(`{${KIND},${VERSION},${request},"kind":{"uid":"other"}`)).toBe(UID);
  expect(uidIn(`{${VERSION},${KIND},${request}`)).toBe(UID);
  const rest = new Uint8Array(REVIEW_BEGINNING_BYTES).fill(0xff);
  expect(beginningUid(Buffer.concat([Buffer.from(`{${KIND},${VERSION},${request}`), rest]))).toBe(UID);
  expect(uidIn(`{${KIND},${VERSION},"request":{"uid":"${'a'.repeat(128)}"`)).toBe('a'.repeat(128));
});

it.each([
  ['nothing', ''],
  ['another kind', `{"kind":"Review",${VERSION},"request":{"uid":"${UID}"`],
  ['another version', `{${KIND},"apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"${UID}"`],
  ['another group', `{${KIND},"apiVersion":"admission-k8s.io/v1","request":{"uid":"${UID}"`],
  ['no version', `{${KIND},"request":{"uid":"${UID}"`],
  ['a uid that is not the first member', `{${KIND},${VERSION},"request":{"name":"a","uid":"${UID}"`],
  ['a request further in', `{${KIND},${VERSION},"response":{},"request":{"uid":"${UID}"`],
  ['something before', `x{${KIND},${VERSION},"request":{"uid":"${UID}"`],
  ['no uid', `{${KIND},${VERSION},"request":{"uid":""`],
  ['a long uid', `{${KIND},${VERSION},"request":{"uid":"${'a'.repeat(129)}"`],
  ['an escape in the uid', `{${KIND},${VERSION},"request":{"uid":"a\\u0000"`],
  ['a uid that does not end', `{${KIND},${VERSION},"request":{"uid":"${UID}`],
])('finds none in %s', (_title, text) => {
  expect(uidIn(text)).toBeUndefined();
});
