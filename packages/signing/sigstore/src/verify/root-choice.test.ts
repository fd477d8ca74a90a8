import { spkiOf, toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import {
  ARTIFACT,
  type BundleJson,
  draftBlob,
  draftStatement,
  STATEMENT,
  toBytes,
} from '@colophon/testkit/local-sigstore/draft-bundle';
import {
  CLAIMS,
  ISSUER,
  type LeafOptions,
  LocalSigstore,
  newKeys,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { relabel, signText } from '@colophon/testkit/local-sigstore/relabel';
import { describe, expect, it } from 'vitest';
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

/** A trusted root that somebody wrote, for the issuer of both; `insecureIgnoreSct` as cosign's flag. */
function source(name: string, json: object, insecureIgnoreSct = false, issuers = [ISSUER]): TrustedRootSource {
  return { name, json: JSON.stringify(json), insecureIgnoreSct, issuers };
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

function refusal(json: BundleJson, ...sources: TrustedRootSource[]): unknown {
  try {
    return verified(json, ...sources);
  } catch (thrown) {
    return thrown;
  }
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
    expect(refusal(draftBlob(stranger), OWN, OTHER)).toMatchObject({
      code: 'certificate.untrusted',
      expected: 'an authority of own, other',
    });
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

  it('the one that is for the issuer of the certificate decides, and what another certified is no word', () => {
    const elsewhere = source('other', other.trustedRootJson(), false, ['https://partner.example']);
    const open = { ...OTHER, issuers: undefined };
    for (const partner of [elsewhere, open]) {
      for (const sources of [
        [OWN, partner],
        [partner, OWN],
      ]) {
        expect(codeOf(draftBlob(own), ...sources)).toBe('accepted');
        expect(codeOf(draftBlob(other), ...sources)).toBe('certificate.issuer_not_of_root');
      }
      expect(refusal(draftBlob(other), OWN, partner)).toMatchObject({ expected: 'own', found: 'other' });
    }
    const theirs = { claims: { ...CLAIMS, iss: 'https://partner.example' } };
    const trust = loadTrustedRoots([OWN, elsewhere]);
    const bundle = toBytes(draftBlob(other, ARTIFACT, theirs));
    const { signature } = verifyBundle({ bundle, artifact: ARTIFACT, trust, policy: 'gated-elsewhere' });
    expect(signature.certificate_identity).toMatchObject({ issuer: 'https://partner.example', root: 'other' });
  });

  it('none that is for the issuer is said with what to write', () => {
    const [one, two] = ['https://a.example', 'https://b.example'].map((issuer, index) =>
      source(`root-${index}`, (index === 0 ? own : other).trustedRootJson(), false, [issuer]),
    );
    expect(refusal(draftBlob(own), one!, two!)).toMatchObject({
      code: 'certificate.issuer_not_of_root',
      message: `the root does not certify the issuer ${ISSUER}`,
      expected: `a trusted root with ${ISSUER} among its issuers`,
      found: 'root-0',
    });
    expect(codeOf(draftBlob(own), one!)).toBe('certificate.issuer_not_of_root');
  });

  it('a statement with more in it than is read is not even read under a root of another issuer', () => {
    const many = {
      ...STATEMENT,
      predicate: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`n${n}`, [[]]])),
    };
    const partner = source('other', other.trustedRootJson(), false, ['https://partner.example']);
    const bundle = toBytes(draftStatement(other, many));
    const refused = (...sources: TrustedRootSource[]) => {
      try {
        verifyBundle({ bundle, artifact: ARTIFACT, trust: loadTrustedRoots(sources), policy });
      } catch (error) {
        return (error as VerificationError).code;
      }
      return 'accepted';
    };
    expect(refused(OWN, partner)).toBe('certificate.issuer_not_of_root');
  });

  it('the name of that which holds stands with the signer', () => {
    expect(verified(draftBlob(other), OWN, OTHER).signature.certificate_identity.root).toBe('other');
    const nameless = { json: OWN.json };
    expect(verified(draftBlob(own), nameless).signature.certificate_identity).not.toHaveProperty('root');
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
