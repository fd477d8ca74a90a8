import { imagePayload } from '@colophon/testkit/local-sigstore/signed-texts';
import { describe, expect, it } from 'vitest';
import { createSimpleSigning, parseSimpleSigning } from './simple-signing.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const read = (value: unknown) => parseSimpleSigning(Buffer.from(JSON.stringify(value)));
// biome-ignore lint/suspicious/noExplicitAny: payloads are taken apart in every way
const edited = (edit: (payload: any) => unknown) => {
  const payload = JSON.parse(imagePayload(DIGEST).toString());
  edit(payload);
  return read(payload);
};

describe('the payload of an older image signature', () => {
  it('is read as we write it', () => {
    const image = { registry: 'localhost:7080', repository: 'demo/app', digest: DIGEST, mediaType: '', size: 1 };
    expect(parseSimpleSigning(createSimpleSigning(image))).toBe(DIGEST);
  });

  it('may have annotations, as those of podman and skopeo do', () => {
    expect(edited((p) => Object.assign(p, { optional: { creator: 'containers/image 5.36', timestamp: 1 } }))).toBe(
      DIGEST,
    );
    expect(edited((p) => Object.assign(p.critical.identity, { 'docker-reference': '' }))).toBe(DIGEST);
  });

  it.each<[title: string, edit: (payload: ReturnType<typeof JSON.parse>) => unknown]>([
    ['another member', (p) => Object.assign(p, { more: 1 })],
    ['another member within critical', (p) => Object.assign(p.critical, { exp: 1 })],
    ['another member of the identity', (p) => Object.assign(p.critical.identity, { key: 'x' })],
    ['another member of the image', (p) => Object.assign(p.critical.image, { 'other-digest': 'x' })],
    ['no annotations', (p) => delete p.optional],
    ['annotations that are a text', (p) => Object.assign(p, { optional: 'x' })],
    ['annotations that are a list', (p) => Object.assign(p, { optional: [] })],
    ['no identity', (p) => delete p.critical.identity],
    ['another thing in place of the identity', (p) => Object.assign(p.critical, { identity: 'x' })],
    ['a reference that is no text', (p) => Object.assign(p.critical.identity, { 'docker-reference': null })],
    ['no image', (p) => delete p.critical.image],
    ['no type', (p) => delete p.critical.type],
    ['another type', (p) => Object.assign(p.critical, { type: 'atomic container signature' })],
    ['a type that goes on', (p) => Object.assign(p.critical, { type: 'cosign container image signatures' })],
    ['a digest that is no text', (p) => Object.assign(p.critical.image, { 'docker-manifest-digest': 1 })],
    [
      'a digest in upper case',
      (p) => Object.assign(p.critical.image, { 'docker-manifest-digest': DIGEST.toUpperCase() }),
    ],
    [
      'a digest that is short',
      (p) => Object.assign(p.critical.image, { 'docker-manifest-digest': DIGEST.slice(0, -1) }),
    ],
    ['a digest that goes on', (p) => Object.assign(p.critical.image, { 'docker-manifest-digest': `${DIGEST}0` })],
    [
      'a digest with something before',
      (p) => Object.assign(p.critical.image, { 'docker-manifest-digest': ` ${DIGEST}` }),
    ],
    [
      'a member inherited by every object',
      (p) => Object.assign(p, { critical: { constructor: 1, toString: 2, type: p.critical.type } }),
    ],
  ])('with %s is none', (_title, edit) => {
    expect(edited(edit)).toBeUndefined();
  });

  it.each(['', 'null', '[]', '{', '{"critical":{},"critical":{},"optional":null}'])('is not %j', (text) => {
    expect(parseSimpleSigning(Buffer.from(text))).toBeUndefined();
  });
});
