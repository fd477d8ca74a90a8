import {
  ARTIFACT,
  type BundleJson,
  draftBlob,
  draftStatement,
  toBytes,
} from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { type ParsedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { libraryCertificate } from '../certificate/library-certificate.ts';
import { assertLibraryAgrees, type LibrarySigner } from './library-verification.ts';
import { type SignedContent, signedContentOf } from './signed-content.ts';
import { logTimesOf } from './signed-time.ts';

const local = new LocalSigstore();

const librarySigner = (signer: ParsedBundle['signer']) =>
  ('certificate' in signer ? { certificate: libraryCertificate(signer.certificate) } : signer) as LibrarySigner;

/** What the library says when none of our own rules has run. */
function verify(
  json: BundleJson,
  change: (parts: { content: SignedContent; entry: BundleJson; signer: LibrarySigner }) => object = () => ({}),
  root = local.trust.roots[0],
) {
  const bundle = parseBundle(toBytes(json));
  const content = signedContentOf(bundle.content, ARTIFACT);
  const [entry] = bundle.logEntries;
  const parts = { content, entry: entry as BundleJson, signer: librarySigner(bundle.signer) };
  const changed = { ...parts, ...change(parts) };
  const times = logTimesOf([changed.entry]);
  assertLibraryAgrees(changed.signer, changed.content, [changed.entry], times, root);
}
const codeOf = (...args: Parameters<typeof verify>) => refusal(() => verify(...args)).code;

describe('the library', () => {
  it('agrees with whole bundles of every kind', () => {
    verify(draftBlob(local));
    verify(draftStatement(local));
    verify(draftStatement(local, undefined, { kind: 'intoto' }));
    const keys = newKeys();
    verify(draftBlob(local, ARTIFACT, { keys, keyed: true }), () => ({ signer: { key: keys.publicKey } }));
  });

  const blob = draftBlob(local);
  it.each<[title: string, code: string, json: BundleJson, change?: Parameters<typeof verify>[1]]>([
    ['another promise', 'log_entry.set_invalid', blob, ({ entry }) => ({ entry: { ...entry, logIndex: '99' } })],
    [
      'another proof',
      'log_entry.inclusion_proof_invalid',
      blob,
      ({ entry }) => ({ entry: { ...entry, inclusionProof: { ...entry.inclusionProof, logIndex: '99' } } }),
    ],
    [
      'no proof and no promise',
      'timestamp.invalid',
      blob,
      ({ entry }) => ({ entry: { ...entry, inclusionProof: undefined, inclusionPromise: undefined } }),
    ],
    [
      'another signature than the entry’s',
      'log_entry.mismatch',
      blob,
      ({ content }) => ({ content: { ...content, signature: Buffer.from('x') } }),
    ],
    [
      'another content than the entry’s',
      'log_entry.mismatch',
      blob,
      ({ content }) => ({ content: { ...content, signedDigest: Buffer.from('x') } }),
    ],
    [
      'another payload than the entry’s',
      'log_entry.mismatch',
      draftStatement(local),
      ({ content }) => ({
        content: { ...content, envelope: { ...content.envelope, payloadDigest: Buffer.from('x') } },
      }),
    ],
    [
      'a signature by another key',
      'signature.invalid',
      blob,
      ({ content }) => ({ content: { ...content, isSignedBy: () => false } }),
    ],
    [
      'a certificate of a stranger',
      'certificate.untrusted',
      draftBlob(local, ARTIFACT, { issuer: { keys: newKeys(), name: 'intermediate' } }),
    ],
    ['no certificate timestamp', 'sct.invalid', draftBlob(local, ARTIFACT, { sctBy: 'nobody' })],
    ['a stranger’s certificate timestamp', 'sct.invalid', draftBlob(local, ARTIFACT, { sctBy: 'stranger' })],
  ])('refuses %s: %s', (_title, code, json, change) => {
    expect(codeOf(json, change)).toBe(code);
  });

  it('needs no time for a key, and one for a certificate', () => {
    const keys = newKeys();
    const timeless = ({ entry }: { entry: BundleJson }) => ({ entry: { ...entry, inclusionPromise: undefined } });
    verify(draftBlob(local, ARTIFACT, { keys, keyed: true }), (parts) => ({
      ...timeless(parts),
      signer: { key: keys.publicKey },
    }));
    expect(codeOf(draftBlob(local), timeless)).toBe('timestamp.invalid');
  });

  it('needs an entry', () => {
    const keys = newKeys();
    const bundle = parseBundle(toBytes(draftBlob(local, ARTIFACT, { keys, keyed: true })));
    const content = signedContentOf(bundle.content, ARTIFACT);
    const error = refusal(() => assertLibraryAgrees({ key: keys.publicKey }, content, [], [], local.trust.roots[0]));
    expect(error.code).toBe('log_entry.duplicate');
    const bare = { ...(bundle.logEntries[0] as BundleJson), inclusionProof: undefined, inclusionPromise: undefined };
    expect(
      refusal(() => assertLibraryAgrees({ key: keys.publicKey }, content, [bare], [], local.trust.roots[0])).code,
    ).toBe('log_entry.inclusion_proof_missing');
  });

  it('that fails in a way of its own is a refusal too, with its cause', () => {
    const error = refusal(() =>
      verify(draftBlob(local), ({ entry }) => ({
        entry: { ...entry, inclusionProof: { ...entry.inclusionProof, checkpoint: undefined } },
      })),
    );
    expect([error.code, error.message]).toEqual(['bundle.unverifiable', 'the bundle could not be verified']);
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('keeps a refusal of ours, and the reason of its own', () => {
    const wanted = refusal(() => verify(draftBlob(local), ({ entry }) => ({ entry: { ...entry, logIndex: '99' } })));
    expect(wanted.cause).toBeInstanceOf(Error);
    const own = new (wanted.constructor as new (code: string, message: string) => Error)(
      'artifact.bytes_required',
      'a reason of ours',
    );
    const thrown = refusal(() =>
      verify(draftBlob(local), ({ content }) => ({
        content: {
          ...content,
          isSignedBy: () => {
            throw own;
          },
        },
      })),
    );
    expect(thrown).toBe(own);
  });
});
