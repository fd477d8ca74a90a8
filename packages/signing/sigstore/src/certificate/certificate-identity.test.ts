import { DEFAULT_CLAIM_ARC, FULCIO_ARC, FULCIO_EXTENSION_TEMPLATES, TOKEN_PURPOSES } from '@colophon/records';
import { octets, sequence, utf8 } from '@colophon/testkit/local-sigstore/der-writer';
import {
  CLAIMS,
  type Claims,
  emailName,
  ISSUER,
  type LeafOptions,
  LocalSigstore,
  newKeys,
  otherName,
  uriName,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { VerificationError } from '../verify/verification-error.ts';
import { readCertificateIdentity } from './certificate-identity.ts';

const local = new LocalSigstore();
const keys = newKeys();
const identityOf = (options: LeafOptions = {}) => readCertificateIdentity(local.issue(keys.publicKey, options));
const without = (...names: (keyof Claims)[]): Claims =>
  Object.fromEntries(Object.entries(CLAIMS).filter(([name]) => !names.includes(name as keyof Claims)));

function refusal(options: LeafOptions): VerificationError {
  try {
    identityOf(options);
  } catch (error) {
    if (error instanceof VerificationError) return error;
    throw error;
  }
  throw new Error('it was read');
}

const WHOLE = {
  issuer: ISSUER,
  subject: 'agent:code-writer',
  trigger: 'pull_request',
  jti: 'run-1',
  claims: {
    agent_name: 'code-writer',
    agent_version: '1.2.3',
    model_id: 'claude-x',
    model_provider: 'anthropic',
    policy_pack_hash: CLAIMS.policy_pack_hash,
    prompt_hash: CLAIMS.prompt_hash,
    human_reviewer: 'ann@example.com',
    review_timestamp: '2026-11-20T10:00:00Z',
    repo: 'acme/shop',
    repo_uri: 'https://github.com/acme/shop',
    commit_sha: 'c'.repeat(40),
  },
  sources: { agent_name: 'caller-token', repo: 'declared' },
};

describe('the identity in a certificate', () => {
  it.each(['own', 'fulcio', 'both'] as const)('is the same whichever mapping it is read from: %s', (mappings) => {
    expect(identityOf({ mappings })).toEqual(WHOLE);
  });

  it.each(['own', 'fulcio', 'both'] as const)('has no claim that the token had not (mapping %s)', (mappings) => {
    const claims = without('trigger', 'model_provider', 'review_timestamp', 'repo', 'repo_uri', 'commit_sha');
    const { trigger, ...rest } = WHOLE;
    const { model_provider, review_timestamp, repo, repo_uri, commit_sha, ...left } = WHOLE.claims;
    expect(identityOf({ mappings, claims })).toEqual({ ...rest, claims: left });
  });

  it('has of a claim without a place in Fulcio’s mapping its source, and no value', () => {
    const claims = { ...CLAIMS, tree_sha: 'd'.repeat(40), claim_sources: 'repo=declared;tree_sha=declared' };
    const sources = { repo: 'declared', tree_sha: 'declared' };
    expect(identityOf({ mappings: 'fulcio', claims })).toEqual({ ...WHOLE, sources });
    expect(identityOf({ mappings: 'own', claims })).toMatchObject({ claims: { tree_sha: 'd'.repeat(40) }, sources });
  });

  it.each([
    ['agent_version', 'agent_name'],
    ['model_id', 'model_provider'],
    ['human_reviewer', 'review_timestamp'],
  ] as const)('keeps the other half of a composed value when %s is unknown', (gone, kept) => {
    const { claims } = identityOf({ mappings: 'fulcio', claims: without(gone) });
    expect(claims).not.toHaveProperty(gone);
    expect(claims[kept]).toBe(CLAIMS[kept]);
  });

  it('splits a model at its first slash, a version at its first at sign, a review at its last space', () => {
    const claims = { ...CLAIMS, model_id: 'org/model@2', agent_version: '1@2', human_reviewer: '"a b"@c.d' };
    expect(identityOf({ mappings: 'fulcio', claims }).claims).toMatchObject({
      model_id: 'org/model@2',
      agent_version: '1@2',
      human_reviewer: '"a b"@c.d',
    });
  });

  it('has agent_id and key thumbprint where the certificate has them', () => {
    const claims = { ...CLAIMS, agent_id: 'id-1', key_thumbprint: 'thumb' };
    expect(identityOf({ claims })).toMatchObject({ agent_id: 'id-1', key_thumbprint: 'thumb' });
    expect(identityOf({ claims, mappings: 'fulcio' })).toMatchObject({ key_thumbprint: 'thumb' });
  });

  it.each(['own', 'fulcio', 'both'] as const)('says what the token was for (mapping %s)', (mappings) => {
    for (const purpose of TOKEN_PURPOSES) {
      const claims = { ...CLAIMS, claim_sources: `purpose=${purpose};${CLAIMS.claim_sources}` };
      expect(identityOf({ mappings, claims })).toEqual({ ...WHOLE, purpose });
    }
  });

  it.each([
    'repo=declared;purpose=artifact',
    'purpose=artifact;purpose=artifact',
    'purpose=artifact;repo=declared;purpose=commit',
    'purpose=deploy;repo=declared',
    'purpose=',
  ])('is refused where its purpose cannot be told: %s', (claim_sources) => {
    for (const mappings of ['own', 'fulcio', 'both'] as const) {
      expect(refusal({ mappings, claims: { ...CLAIMS, claim_sources } }).code).toBe('certificate.purpose_unknown');
    }
  });

  it('has no purpose where another issuer wrote the extension of claim_sources', () => {
    const foreign = [{ oid: `${FULCIO_ARC}.11`, value: utf8('purpose=deploy') }];
    const runner = [...foreign, { oid: `${FULCIO_ARC}.9`, value: utf8('https://github.com/acme/w.yml@main') }];
    const { purpose } = identityOf({ mappings: 'fulcio', replace: runner });
    expect(purpose).toBeUndefined();
  });

  it('is bound to no key where Fulcio says none', () => {
    for (const key_thumbprint of ['none', 'unknown', '']) {
      for (const mappings of ['own', 'fulcio'] as const) {
        expect(identityOf({ mappings, claims: { ...CLAIMS, key_thumbprint } })).not.toHaveProperty('key_thumbprint');
      }
    }
  });

  it('of a reviewer is read', () => {
    const claims = { iss: ISSUER, sub: 'reviewer:ann@example.com', jti: 'r', human_reviewer: 'ann@example.com' };
    for (const mappings of ['own', 'fulcio', 'both'] as const) {
      expect(identityOf({ claims, mappings })).toEqual({
        issuer: ISSUER,
        subject: 'reviewer:ann@example.com',
        jti: 'r',
        claims: { human_reviewer: 'ann@example.com' },
        sources: {},
      });
    }
  });

  it('may be an e-mail address or a user name', () => {
    const claims = { iss: ISSUER };
    expect(identityOf({ claims, sans: [emailName('ann@example.com')] }).subject).toBe('ann@example.com');
    // A URI that reads like an address is no address.
    expect(identityOf({ claims, sans: [emailName('ann@example.com')] }).subject_type).toBe('email');
    expect(identityOf({ claims, sans: [uriName('ann@example.com')] })).not.toHaveProperty('subject_type');
    expect(identityOf({ claims, sans: [otherName('ann@example.com')] })).not.toHaveProperty('subject_type');
    expect(identityOf({ claims, sans: [otherName('ann!example.com')] }).subject).toBe('ann!example.com');
  });

  it('of a build runner has the claims that mean the same everywhere, and none of ours', () => {
    const text = (number: number, value: string) => ({
      oid: `${FULCIO_ARC}.${number}`,
      value: number <= 6 ? Buffer.from(value) : utf8(value),
    });
    const github = [
      text(2, 'push'),
      text(3, 'a'.repeat(40)),
      text(5, 'acme/shop'),
      text(9, 'https://github.com/acme/shop/.github/workflows/release.yml@refs/heads/main'),
      text(10, 'a'.repeat(40)),
      text(11, 'github-hosted'),
      text(12, 'https://github.com/acme/shop'),
      text(13, 'b'.repeat(40)),
      text(19, 'a'.repeat(40)),
      text(20, 'push'),
      text(21, 'https://github.com/acme/shop/actions/runs/1/attempts/1'),
      text(22, 'public'),
      text(24, 'repo:acme/shop:ref:refs/heads/main'),
    ];
    const subject = 'https://github.com/acme/shop/.github/workflows/release.yml@refs/heads/main';
    const claims = { iss: 'https://token.actions.githubusercontent.com' };
    const mapped = [`${FULCIO_ARC}.18`, `${FULCIO_ARC}.23`];
    const issued = local.issue(keys.publicKey, {
      claims,
      mappings: 'fulcio',
      sans: [uriName(subject)],
      without: mapped,
      replace: github,
    });
    expect(readCertificateIdentity(issued)).toEqual({
      issuer: claims.iss,
      subject,
      trigger: 'push',
      claims: { repo: 'acme/shop', repo_uri: 'https://github.com/acme/shop', commit_sha: 'b'.repeat(40) },
      sources: {},
    });
  });

  it('falls back to the older issuer, trigger and commit', () => {
    expect(identityOf({ without: [`${FULCIO_ARC}.8`] }).issuer).toBe(ISSUER);
    const older = identityOf({ mappings: 'fulcio', without: [`${FULCIO_ARC}.13`, `${FULCIO_ARC}.20`] });
    expect([older.trigger, older.claims.commit_sha]).toEqual(['pull_request', 'c'.repeat(40)]);
    expect(identityOf({ mappings: 'fulcio', without: [`${FULCIO_ARC}.2`] }).trigger).toBe('pull_request');
  });

  it.each<[title: string, code: string, options: LeafOptions]>([
    ['no name', 'certificate.identity_missing', { without: ['2.5.29.17'] }],
    ['an empty name', 'certificate.identity_missing', { sans: [uriName('')] }],
    [
      'two names',
      'certificate.identity_missing',
      { sans: [uriName('agent:code-writer'), uriName('agent:code-writer')] },
    ],
    ['no issuer', 'certificate.identity_missing', { without: [`${FULCIO_ARC}.1`, `${FULCIO_ARC}.8`] }],
    ['a name of another kind', 'certificate.malformed', { sans: [Buffer.from('820161', 'hex')] }],
    ['another kind of other name', 'certificate.malformed', { sans: [otherName('x', '1.2.3')] }],
    ['a name with a control character', 'certificate.malformed', { sans: [uriName('agent:x\n')] }],
    ['a name that is not ASCII', 'certificate.malformed', { sans: [uriName('agent:é')] }],
    [
      'a claim that is no text',
      'certificate.malformed',
      {
        without: [`${DEFAULT_CLAIM_ARC}.4`],
        extra: [{ oid: `${DEFAULT_CLAIM_ARC}.5`, value: Buffer.from('0500', 'hex') }],
        claims: without('iat'),
      },
    ],
    ['another name than its subject claim', 'certificate.mapping_conflict', { sans: [uriName('agent:other')] }],
    [
      'another name than its agent claim',
      'certificate.mapping_conflict',
      { mappings: 'fulcio', sans: [uriName('agent:other')] },
    ],
    [
      'another older issuer',
      'certificate.mapping_conflict',
      { replace: [{ oid: `${FULCIO_ARC}.1`, value: Buffer.from('https://x') }] },
    ],
    [
      'another issuer than its claim',
      'certificate.mapping_conflict',
      {
        mappings: 'own',
        replace: [
          { oid: `${FULCIO_ARC}.8`, value: utf8('https://x') },
          { oid: `${FULCIO_ARC}.1`, value: Buffer.from('https://x') },
        ],
      },
    ],
    [
      'another token subject',
      'certificate.mapping_conflict',
      { extra: [{ oid: `${FULCIO_ARC}.24`, value: utf8('agent:evil') }] },
    ],
  ])('with %s is refused: %s', (_title, code, options) => {
    expect(refusal(options).code).toBe(code);
  });

  it('with the token subject of our own kind is read', () => {
    expect(identityOf({ extra: [{ oid: `${FULCIO_ARC}.24`, value: utf8('agent:code-writer') }] }).subject).toBe(
      'agent:code-writer',
    );
  });

  it.each([2, 3, 5, 9, 10, 11, 12, 13, 18, 19, 20, 21, 22, 23])(
    'whose extension .%i contradicts our own arc is refused',
    (number) => {
      const value = Buffer.from('something else');
      const error = refusal({
        replace: [{ oid: `${FULCIO_ARC}.${number}`, value: number <= 6 ? value : utf8('something else') }],
      });
      expect(error.code).toBe('certificate.mapping_conflict');
      expect(error.found).toBe('something else');
      expect(error.message).toContain(`${FULCIO_ARC}.${number}`);
    },
  );

  it('is not read from bytes that are no certificate', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('3000', 'hex'), sequence(octets(Buffer.of(1)))]) {
      expect(() => readCertificateIdentity(bytes)).toThrow(VerificationError);
    }
    const der = local.issue(keys.publicKey);
    expect(() => readCertificateIdentity(Buffer.concat([der, Buffer.of(0)]))).toThrow(VerificationError);
    expect(() => readCertificateIdentity(der.subarray(0, -1))).toThrow(VerificationError);
  });
});

describe('an arc of one’s own', () => {
  const ARC = '1.3.6.1.4.1.99999.1';
  const underArc = (claim: string) => [{ oid: `${ARC}.6`, value: utf8(claim) }];
  const read = (options: LeafOptions, arc?: string) =>
    readCertificateIdentity(local.issue(keys.publicKey, options), arc);

  it('is read by whoever has set it, and by nobody else', () => {
    const options: LeafOptions = { mappings: 'fulcio', without: [`${FULCIO_ARC}.9`], extra: underArc('code-writer') };
    expect(read(options).claims).not.toHaveProperty('agent_name');
    expect(read(options, '1.3.6.1.4.1.99999').claims).not.toHaveProperty('agent_name');
    const alone: LeafOptions = { ...options, without: Object.keys(FULCIO_EXTENSION_TEMPLATES).map(ofFulcio) };
    expect(read(alone, ARC).claims).toEqual({ agent_name: 'code-writer' });
  });

  it('leaves certificates from before readable', () => {
    expect(read({}, ARC)).toEqual(WHOLE);
  });

  it('is never mixed with the placeholder', () => {
    expect(() => read({ extra: underArc('code-writer') }, ARC)).toThrow(
      expect.objectContaining({ code: 'certificate.mapping_conflict' }),
    );
    // To whom the arc says nothing, the certificate says what it said.
    expect(read({ extra: underArc('somebody-else') })).toEqual(WHOLE);
  });

  it('has to say what Fulcio’s extensions say', () => {
    expect(() => read({ mappings: 'fulcio', extra: underArc('somebody-else') }, ARC)).toThrow(
      expect.objectContaining({ code: 'certificate.mapping_conflict' }),
    );
  });
});

function ofFulcio(number: string): string {
  return `${FULCIO_ARC}.${number}`;
}
