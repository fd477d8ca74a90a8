import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OciError } from './oci-error.ts';
import { parseRegistryPath } from './registry-path.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

function codeOf(path: string): string {
  try {
    return `parsed as ${JSON.stringify(parseRegistryPath(path))}`;
  } catch (error) {
    return error instanceof OciError ? error.code : `threw ${error}`;
  }
}

describe('a path under /v2/', () => {
  it.each([
    ['/v2/', { kind: 'base' }],
    ['/v2/a/manifests/v1', { kind: 'manifest', repository: 'a', reference: { tag: 'v1' } }],
    [`/v2/a/b/manifests/${DIGEST}`, { kind: 'manifest', repository: 'a/b', reference: { digest: DIGEST } }],
    [
      `/v2/a/manifests/sha256%3A${'0'.repeat(64)}`,
      { kind: 'manifest', repository: 'a', reference: { digest: DIGEST } },
    ],
    [`/v2/manifests/blobs/${DIGEST}`, { kind: 'blob', repository: 'manifests', digest: DIGEST }],
    ['/v2/a/blobs/uploads/', { kind: 'uploads', repository: 'a' }],
    ['/v2/a/blobs/uploads', { kind: 'uploads', repository: 'a' }],
    ['/v2/tags/list/tags/list', { kind: 'tags', repository: 'tags/list' }],
    [`/v2/a/referrers/${DIGEST}`, { kind: 'referrers', repository: 'a', digest: DIGEST }],
  ])('%s', (path, expected) => {
    expect(parseRegistryPath(path)).toEqual(expected);
  });

  it.each([
    ['/v2/../../etc/manifests/v1', 'NAME_INVALID'],
    ['/v2/a/..%2f..%2fetc/manifests/v1', 'NAME_INVALID'],
    ['/v2/%2e%2e/manifests/v1', 'NAME_INVALID'],
    ['/v2/a\\b/manifests/v1', 'NAME_INVALID'],
    ['/v2/A/manifests/v1', 'NAME_INVALID'],
    ['/v2/_blobs/manifests/v1', 'NAME_INVALID'],
    ['/v2/a_/manifests/v1', 'NAME_INVALID'],
    ['/v2/a//b/manifests/v1', 'NAME_INVALID'],
    ['/v2//manifests/v1', 'NAME_INVALID'],
    ['/v2/a%00/manifests/v1', 'NAME_INVALID'],
    [`/v2/${'a'.repeat(240)}/manifests/v1`, 'NAME_INVALID'],
    ['/v2/a/blobs/sha256:..%2fpasswd', 'DIGEST_INVALID'],
    [`/v2/a/blobs/sha256:${'0'.repeat(63)}G`, 'DIGEST_INVALID'],
    ['/v2/a/blobs/sha512:abc', 'DIGEST_INVALID'],
    ['/v2/a/manifests/%E0%A4%A', 'DIGEST_INVALID'],
    ['/v2/a/manifests/..', 'MANIFEST_UNKNOWN'],
    [`/v2/a/manifests/${'v'.repeat(129)}`, 'MANIFEST_UNKNOWN'],
    ['/v2/a/blobs/uploads/not-an-id', 'BLOB_UPLOAD_UNKNOWN'],
    ['/v2/a/unknown', 'UNSUPPORTED'],
    ['/v3/', 'UNSUPPORTED'],
  ])('%s is refused: %s', (path, code) => {
    expect(codeOf(path)).toBe(code);
  });

  it('gives a name without dots in a row, backslashes or percent signs, or a refusal, for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('a', '.', '/', '-', '_', '%2e', '\\')).map((x) => x.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('manifests', 'blobs', 'referrers'), text, (name, kind, last) => {
        const path = `/v2/${name}/${kind}/${last}`;
        const code = codeOf(path);
        if (code.startsWith('parsed')) expect(code).not.toMatch(/"repository":"[^"]*(\.\.|\\|%|\/\/)/);
        else expect(code).toMatch(/^[A-Z_]+$/);
      }),
    );
  });
});
