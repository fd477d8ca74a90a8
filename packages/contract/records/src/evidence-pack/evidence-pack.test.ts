import { describe, expect, test } from 'vitest';
import { type EvidencePack, encodeEvidencePack, parseEvidencePack } from './evidence-pack.ts';
import { EVIDENCE_PACK_MEDIA_TYPE } from './evidence-pack-schema.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const PACK: EvidencePack = {
  media_type: EVIDENCE_PACK_MEDIA_TYPE,
  created_at: '2026-11-25T10:00:00Z',
  image: {
    reference: 'localhost:7080/webshop:1.0',
    digest: DIGEST,
    manifests: [{ digest: DIGEST, media_type: 'application/vnd.oci.image.manifest.v1+json', content: 'e30=' }],
  },
  attachments: [{ format: 'older-signature', content: 'e30=', media_type: 'x/y', annotations: { 'a.b/c': '' } }],
  unread: [],
  malformed: [],
  rejection_lists: [],
  hints: { trusted_roots: [], policies: [] },
};
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test('what was written is read as it was, and the order of members changes no byte', () => {
  expect(parseEvidencePack(encodeEvidencePack(PACK))).toEqual({ ok: true, value: PACK });
  const turned = Object.fromEntries(Object.entries(PACK).reverse()) as EvidencePack;
  expect(encodeEvidencePack(turned)).toEqual(encodeEvidencePack(PACK));
});

describe('is refused', () => {
  test.each<[title: string, path: string, pack: object]>([
    ['with a member that no pack has', '/trusted', { ...PACK, trusted: true }],
    ['with one deeper in it', '/image/platform', { ...PACK, image: { ...PACK.image, platform: 'x' } }],
    ['without a time', '/created_at', { ...PACK, created_at: undefined }],
    ['of another version', '/media_type', { ...PACK, media_type: 'application/vnd.colophon.evidence-pack.v2+json' }],
    ['without a manifest', '/image/manifests', { ...PACK, image: { ...PACK.image, manifests: [] } }],
    [
      'with an attachment of an unknown format',
      '/attachments/0/format',
      { ...PACK, attachments: [{ format: 'tar', content: '' }] },
    ],
    [
      'with more hints than anybody trusts',
      '/hints/policies',
      {
        ...PACK,
        hints: { trusted_roots: [], policies: Array(33).fill({ name: 'x', content: '' }) },
      },
    ],
  ])('%s: %s', (_title, path, pack) => {
    const parsed = parseEvidencePack(bytes(pack));
    expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
