import { describe, expect, it } from 'vitest';
import { spkiOf, toPem } from '../../test/local-sigstore/certificate-writer.ts';
import { ARTIFACT, type BundleJson, draftBlob, toBytes } from '../../test/local-sigstore/draft-bundle.ts';
import { ISSUER, type LeafOptions, LocalSigstore, newKeys } from '../../test/local-sigstore/local-sigstore.ts';
import { relabel, signText } from '../../test/local-sigstore/relabel.ts';
import { libraryCertificate } from '../certificate/library-certificate.ts';
import { createIdentityPolicy } from '../identity-policy/identity-policy.ts';
import { loadTrustedRoots, type TrustedRootSource } from '../trusted-root/load-trusted-root.ts';
import { isIssuedUnder } from './root-choice.ts';
import { VerificationError, type VerificationErrorCode } from './verification-error.ts';
import { verifyBundle, verifyBundleWithKey } from './verify-bundle.ts';

// Two installations whose authorities have the same names, as two of one program have.
const own = new LocalSigstore();
const other = new LocalSigstore();
const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });

/** A trusted root that somebody wrote; `insecureIgnoreSct` as cosign's flag. */
function source(name: string, json: object, insecureIgnoreSct = false): TrustedRootSource {
  return { name, json: JSON.stringify(json), insecureIgnoreSct };
}
const [OWN, OTHER] = [source('own', own.trustedRootJson()), source('other', other.trustedRootJson())];

function verified(json: BundleJson, ...sources: TrustedRootSource[]) {
  const trust = loadTrustedRoots(sources);
  return verifyBundle({ bundle: toBytes(json), artifact: ARTIFACT, trust, policy });
}

function codeOf(json: BundleJson, ...sources: TrustedRootSource[]): VerificationErrorCode | 'accepted' {
  try {
    verified(json, ...sources);
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('of several roots', () => {
  it('the one whose authority certified the signer decides, in whatever order they are', () => {
    for (const json of [draftBlob(own), draftBlob(other)]) {
      expect(codeOf(json, OWN, OTHER)).toBe('accepted');
      expect(codeOf(json, OTHER, OWN)).toBe('accepted');
    }
    const tampered = draftBlob(other);
    tampered.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
    expect(codeOf(tampered, OWN, OTHER)).toBe('log_entry.inclusion_proof_invalid');
  });

  it('none lends its log, its CT log or its timestamps to the authority of another', () => {
    const swapped = (part: 'tlogs' | 'ctlogs' | 'timestampAuthorities') => [
      source('own', { ...own.trustedRootJson(), [part]: other.trustedRootJson()[part] }),
      source('other', { ...other.trustedRootJson(), [part]: own.trustedRootJson()[part] }),
    ];
    expect(codeOf(draftBlob(own), ...swapped('tlogs'))).toBe('log_entry.untrusted_log');
    expect(codeOf(draftBlob(own), ...swapped('ctlogs'))).toBe('sct.invalid');
    const timed = relabel(own, signText(own, ARTIFACT), 'message', 'v2');
    expect(codeOf(timed, OWN, OTHER)).toBe('accepted');
    expect(codeOf(timed, ...swapped('timestampAuthorities'))).toBe('timestamp.invalid');
  });

  it('none that issued the certificate is told by the names of all', () => {
    const stranger = new LocalSigstore();
    const error = (() => {
      try {
        return verified(draftBlob(stranger), OWN, OTHER);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: 'certificate.untrusted', expected: 'an authority of own, other' });
  });

  it('the one whose log has the entry decides on a signature by a key', () => {
    const keys = newKeys();
    const bundle = toBytes(draftBlob(other, ARTIFACT, { keys, keyed: true }));
    const publicKey = toPem(spkiOf(keys.publicKey), 'PUBLIC KEY');
    const withRoots = (...sources: TrustedRootSource[]) =>
      verifyBundleWithKey({ bundle, artifact: ARTIFACT, publicKey, trust: loadTrustedRoots(sources) });
    expect(withRoots(OWN, OTHER).log_entry.log_id).toBe(Buffer.from(other.log.logId).toString('hex'));
    expect(() => withRoots(OWN)).toThrow(expect.objectContaining({ code: 'log_entry.untrusted_log' }));
    const third = source('third', new LocalSigstore().trustedRootJson());
    expect(() => withRoots(OWN, third)).toThrow(expect.objectContaining({ code: 'log_entry.untrusted_log' }));
  });

  it('the one whose log has the entry says what is wrong with it', () => {
    const keys = newKeys();
    const json = draftBlob(other, ARTIFACT, { keys, keyed: true });
    json.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
    const publicKey = toPem(spkiOf(keys.publicKey), 'PUBLIC KEY');
    for (const sources of [
      [OWN, OTHER],
      [OTHER, OWN],
    ]) {
      const trust = loadTrustedRoots(sources);
      expect(() => verifyBundleWithKey({ bundle: toBytes(json), artifact: ARTIFACT, publicKey, trust })).toThrow(
        expect.objectContaining({ code: 'log_entry.inclusion_proof_invalid' }),
      );
    }
  });

  it('two with one authority are asked in turn, and the first refusal is told', () => {
    const logless = source('elsewhere', { ...own.trustedRootJson(), tlogs: other.trustedRootJson()['tlogs'] });
    const ctless = source('without CT', { ...own.trustedRootJson(), ctlogs: other.trustedRootJson()['ctlogs'] });
    expect(codeOf(draftBlob(own), logless, OWN)).toBe('accepted');
    expect(codeOf(draftBlob(own), OWN, logless)).toBe('accepted');
    expect(codeOf(draftBlob(own), logless, ctless)).toBe('log_entry.untrusted_log');
    expect(codeOf(draftBlob(own), ctless, logless)).toBe('sct.invalid');
  });

  it('there is at least one', () => {
    expect(() => loadTrustedRoots([])).toThrow(TypeError);
  });
});

describe('a certificate without timestamp of a CT log', () => {
  const { ctlogs, ...timeless } = own.trustedRootJson();
  const [bare, stamped, strange] = [
    draftBlob(own, ARTIFACT, { sctBy: 'nobody' }),
    draftBlob(own),
    draftBlob(own, ARTIFACT, { sctBy: 'stranger' }),
  ];

  it('is refused under a root that names CT logs, whatever is said', () => {
    expect(ctlogs).toHaveLength(1);
    expect(codeOf(bare, OWN)).toBe('sct.missing');
    expect(codeOf(bare, source('own', own.trustedRootJson(), true))).toBe('sct.missing');
    expect(codeOf(strange, source('own', own.trustedRootJson(), true))).toBe('sct.invalid');
  });

  it('is refused under a root that names none, until that is said', () => {
    expect(codeOf(bare, source('own', timeless))).toBe('sct.missing');
    expect(codeOf(stamped, source('own', timeless))).toBe('sct.invalid');
    const accepted = verified(bare, source('own', timeless, true));
    expect(accepted.checks).toContainEqual({
      check: 'certificate.chain',
      detail: 'to an authority of own, without a certificate timestamp',
    });
    // One that nobody can check adds nothing and takes nothing away.
    expect(codeOf(stamped, source('own', timeless, true))).toBe('accepted');
  });

  it('is still refused by everything else', () => {
    const late = draftBlob(own, ARTIFACT, { sctBy: 'nobody', notAfter: new Date(own.now.getTime() - 1) });
    expect(codeOf(late, source('own', timeless, true))).toBe('certificate.expired');
    const foreign = draftBlob(own, ARTIFACT, { sctBy: 'nobody', issuer: { keys: newKeys(), name: 'intermediate' } });
    expect(codeOf(foreign, source('own', timeless, true))).toBe('certificate.untrusted');
  });
});

describe('a certificate', () => {
  const issued = (options: LeafOptions = {}) => libraryCertificate(own.issue(newKeys().publicKey, options));

  it('is issued under any root whose authority signed it, intermediate or root', () => {
    for (const sources of [[OWN], [OTHER, OWN]]) expect(isIssuedUnder(loadTrustedRoots(sources), issued())).toBe(true);
    expect(isIssuedUnder(own.trust, issued({ issuer: { keys: own.root, name: 'root' } }))).toBe(true);
    expect(isIssuedUnder(other.trust, issued())).toBe(false);
  });

  it('is not issued by an authority of another name', () => {
    expect(isIssuedUnder(own.trust, issued({ issuer: { keys: own.intermediate, name: 'root' } }))).toBe(false);
    expect(isIssuedUnder(own.trust, issued({ issuer: { keys: own.intermediate, name: 'x' } }))).toBe(false);
  });

  it('is not issued by an authority whose key cannot be read', () => {
    const certificate = issued();
    certificate.verify = () => {
      throw new TypeError('not a key');
    };
    expect(isIssuedUnder(own.trust, certificate)).toBe(false);
  });
});
