import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  loadTrustedRoot,
  type TrustMaterial,
  VerificationError,
  verifyBundle,
  verifyBundleWithKey,
} from '../src/index.ts';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const CONFORMANCE = join(DATA, 'sigstore-bundle');
const PYTHON = join(DATA, 'sigstore-python-bundle');
const PREFIX = 'sigstore+sigstore-conformance--';
const PYTHON_PREFIX = 'sigstore+sigstore-python--test__assets__';

const read = (folder: string, name: string) => readFileSync(join(CONFORMANCE, folder, PREFIX + name));
const has = (folder: string, name: string) => existsSync(join(CONFORMANCE, folder, PREFIX + name));
const readPython = (name: string) => readFileSync(join(PYTHON, PYTHON_PREFIX + name));

/** The public-good root, as one case brings it with an end of its log's validity that is only about that case. */
function publicGood(): TrustMaterial {
  const root = JSON.parse(read('trust-root-tlog-validity-end-inclusive', 'trusted_root.json').toString());
  for (const { publicKey } of root.tlogs) delete publicKey.validFor.end;
  return loadTrustedRoot(JSON.stringify(root));
}

/** Staging, with its third Rekor v2. */
const staging = () => loadTrustedRoot(read('rekor2-dsse-mismatch-sig_fail', 'trusted_root.json'));
const stagingThen = () => loadTrustedRoot(read('rekor2-checkpoint-cosigned', 'trusted_root.json'));

/** What each case is refused for, so that none is refused for a wrong reason. */
const REASONS: Readonly<Record<string, string>> = {
  'bundle-empty-certificate-chain_fail': 'bundle.certificate_missing',
  'bundle-from-wrong-instance_fail': 'log_entry.untrusted_log',
  'bundle-invalid-base64-signature_fail': 'bundle.malformed',
  'bundle-malformed-json_fail': 'bundle.malformed',
  'bundle-unknown-version_fail': 'bundle.unsupported_media_type',
  'bundle-with-root-cert_fail': 'bundle.certificate_chain',
  'checkpoint-wrong-roothash_fail': 'log_entry.inclusion_proof_invalid',
  'dsse-invalid-sig_fail': 'signature.invalid',
  'dsse-mismatch-envelope_fail': 'log_entry.mismatch',
  'dsse-mismatch-sig_fail': 'log_entry.mismatch',
  'inclusion-proof-corrupted-hash_fail': 'log_entry.inclusion_proof_invalid',
  'intoto-expired-certificate_fail': 'certificate.expired',
  'intoto-missing-inclusion-proof_fail': 'log_entry.inclusion_proof_missing',
  'intoto-set-outside-signing-cert-validity_fail': 'certificate.expired',
  'intoto-tsa-timestamp-outside-cert-validity_fail': 'timestamp.outside_certificate',
  'invalid-checkpoint-signature_fail': 'log_entry.checkpoint_invalid',
  'invalid-ct-key_fail': 'sct.invalid',
  'invalid-inclusion-proof_fail': 'log_entry.inclusion_proof_missing',
  'managed-key-no-key_fail': 'key.missing',
  'message-digest-mismatch_fail': 'artifact.mismatch',
  'rekor2-checkpoint-missing-root-hash_fail': 'log_entry.checkpoint_invalid',
  'rekor2-checkpoint-missing-size_fail': 'log_entry.checkpoint_invalid',
  'rekor2-checkpoint-no-matching-signature_fail': 'log_entry.checkpoint_invalid',
  'rekor2-dsse-invalid-sig_fail': 'signature.invalid',
  'rekor2-dsse-mismatch-envelope_fail': 'log_entry.mismatch',
  'rekor2-dsse-mismatch-sig_fail': 'log_entry.mismatch',
  'rekor2-no-timestamp_fail': 'timestamp.missing',
  'rekor2-timestamp-outside-trust-root-tsa-validity_fail': 'timestamp.invalid',
  'rekor2-timestamp-untrusted-tsa-with-embedded-cert_fail': 'timestamp.invalid',
  'rekor2-timestamp-untrusted-tsa-without-embedded-cert_fail': 'timestamp.invalid',
  'set-invalid-signature_fail': 'log_entry.set_invalid',
  'wrong-hashedrekord-artifact_fail': 'log_entry.mismatch',
  'wrong-hashedrekord-cert-and-sig_fail': 'log_entry.mismatch',
  'wrong-material_fail': 'artifact.mismatch',
};

/** `ok`, or the code of the refusal. */
function verdict(verify: () => unknown): string {
  try {
    verify();
    return 'ok';
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
}

describe.skipIf(!existsSync(CONFORMANCE))('sigstore-conformance', () => {
  const folders = existsSync(CONFORMANCE)
    ? readdirSync(CONFORMANCE).filter((name) => has(name, 'bundle.sigstore.json'))
    : [];

  it('has cases', () => expect(folders.length).toBeGreaterThan(40));

  it.each(folders.filter((folder) => has(folder, 'trusted_root.json')))('the roots of %s are read', (folder) => {
    expect(loadTrustedRoot(read(folder, 'trusted_root.json')).logs.length).toBeGreaterThan(0);
  });

  it.each(folders)('%s', (folder) => {
    const trust = has(folder, 'trusted_root.json') ? loadTrustedRoot(read(folder, 'trusted_root.json')) : publicGood();
    const artifact = has(folder, 'artifact')
      ? read(folder, 'artifact')
      : readFileSync(join(CONFORMANCE, `${PREFIX}a.txt`));
    const common = { bundle: read(folder, 'bundle.sigstore.json'), artifact, trust };
    const found = verdict(() =>
      has(folder, 'key.pub')
        ? verifyBundleWithKey({ ...common, publicKey: read(folder, 'key.pub').toString() })
        : verifyBundle({ ...common, policy: 'gated-elsewhere' }),
    );
    expect(found).toBe(folder.endsWith('_fail') ? (REASONS[folder] ?? 'a reason that stands in the table') : 'ok');
  });
});

/** Their artifacts are not in the corpus: the digest in the bundle stands for them. */
const PYTHON_CASES: readonly (readonly [name: string, trust: () => TrustMaterial, verdict: string])[] = [
  ['a.dsse.staging-rekor-v2.txt.sigstore.json', staging, 'ok'],
  ['bundle.txt.sigstore', staging, 'ok'],
  ['bundle_invalid_version.txt.sigstore', staging, 'bundle.unsupported_media_type'],
  ['bundle_no_cert_v1.txt.sigstore', staging, 'bundle.certificate_missing'],
  ['bundle_no_log_entry.txt.sigstore', staging, 'log_entry.missing'],
  ['bundle_v3.txt.sigstore', staging, 'ok'],
  ['bundle_v3_alt.txt.sigstore', staging, 'ok'],
  ['bundle_v3_github.whl.sigstore', publicGood, 'ok'],
  ['bundle_v3_no_signed_time.txt.sigstore.json', publicGood, 'timestamp.missing'],
  ['integration__Python-3.12.5.tgz.sigstore', publicGood, 'ok'],
  ['staging-rekor-v2.txt.sigstore.json', stagingThen, 'ok'],
  // Its timestamps are by an authority that no root here pins, so the log's time is the one that counts.
  ['tsa__bundle.duplicate.sigstore', staging, 'ok'],
  ['tsa__bundle.many_timestamp.sigstore', staging, 'bundle.malformed'],
  ['tsa__bundle.txt.late_timestamp.sigstore', staging, 'timestamp.outside_certificate'],
];

describe.skipIf(!existsSync(PYTHON))('bundles of sigstore-python', () => {
  it.each(PYTHON_CASES)('%s', (name, trust, expected) => {
    const bundle = readPython(name);
    const digest = /"digest":\s*"([A-Za-z0-9+/=]+)"/.exec(bundle.toString())?.[1];
    const artifact = digest ? { sha256: Buffer.from(digest, 'base64').toString('hex') } : undefined;
    expect(verdict(() => verifyBundle({ bundle, artifact, trust: trust(), policy: 'gated-elsewhere' }))).toBe(expected);
  });
});
