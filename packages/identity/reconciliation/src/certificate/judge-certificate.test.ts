import { contextPrimitiveTag, derSequence, derUtf8, encodeDer } from '@colophon/encoding';
import { CLAIM_ARC_NUMBERS, DEFAULT_CLAIM_ARC, FULCIO_ARC, fulcioExtensionTexts } from '@colophon/records';
import type { CertificateFields } from '@colophon/sigstore/certificate';
import { describe, expect, test } from 'vitest';
import { judgeCertificate, namesIssuer, type TokenRow } from './judge-certificate.ts';

const ISSUER = 'https://issuer.example';
const IAT = 1_795_240_800;
const CLAIMS: Readonly<Record<string, string | number>> = {
  iss: ISSUER,
  sub: 'agent:code-writer',
  aud: 'sigstore',
  iat: IAT,
  exp: IAT + 600,
  jti: 'the-jti',
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  agent_id: 'id-1',
  model_id: 'model-1',
  prompt_hash: `sha256:${'a'.repeat(64)}`,
  policy_pack_hash: `sha256:${'b'.repeat(64)}`,
  human_reviewer: 'alice@example.com',
  claim_sources: 'agent_name=declared',
};
const PAYLOAD = JSON.stringify(CLAIMS);

const raw = (text: string) => new TextEncoder().encode(text);

/** What Fulcio, or an embedded authority, writes for these claims. */
function certificateOf(
  claims: Readonly<Record<string, string | number>>,
  { arc, at = IAT }: { readonly arc?: string; readonly at?: number } = {},
): CertificateFields & { readonly extensions: Map<string, { critical: boolean; value: Uint8Array }> } {
  const name = derSequence(encodeDer(contextPrimitiveTag(6), raw(String(claims['sub']))));
  const fulcio = [
    [1, claims['iss']],
    [8, claims['iss']],
    ...fulcioExtensionTexts(claims),
    [24, claims['sub']],
  ] as const;
  const own = arc === undefined ? [] : Object.entries(CLAIM_ARC_NUMBERS).filter(([claim]) => claim in claims);
  return {
    notBefore: new Date(at * 1000),
    notAfter: new Date((at + 600) * 1000),
    spki: new Uint8Array(),
    serialNumber: '07',
    isSelfIssued: false,
    extensions: new Map([
      ['2.5.29.17', { critical: true as boolean, value: name }],
      ...fulcio.map(
        ([n, text]) =>
          [
            `${FULCIO_ARC}.${n}`,
            { critical: false, value: Number(n) <= 6 ? raw(String(text)) : derUtf8(String(text)) },
          ] as const,
      ),
      ...own.map(([claim, n]) => [`${arc}.${n}`, { critical: false, value: derUtf8(String(claims[claim])) }] as const),
    ]),
  };
}

function judge(certificate: CertificateFields, row: TokenRow | undefined = { issued_at: IAT, payload: PAYLOAD }) {
  const book = {
    issuer: ISSUER,
    claimArc: '1.2.3.4',
    findRow: (jti: string) => (jti === 'the-jti' ? row : undefined),
  };
  const { verdict, differences } = judgeCertificate(certificate, book);
  return { verdict, fields: differences.map(({ field }) => field), differences };
}

test.each([undefined, DEFAULT_CLAIM_ARC, '1.2.3.4'])(
  'a certificate of the claims of the row agrees (arc %s)',
  (arc) => {
    expect(judge(certificateOf(CLAIMS, arc === undefined ? {} : { arc }))).toMatchObject({
      verdict: 'agrees',
      fields: [],
    });
  },
);

describe('each claim that a certificate carries', () => {
  const carried = Object.keys(CLAIMS).filter((claim) => claim !== 'jti');

  test.each(carried)('counts: %s', (claim) => {
    const other = typeof CLAIMS[claim] === 'number' ? Number(CLAIMS[claim]) + 1 : `${CLAIMS[claim]}x`;
    const { verdict, differences } = judge(certificateOf({ ...CLAIMS, [claim]: other }, { arc: '1.2.3.4' }));
    expect(verdict).toBe('claims_differ');
    expect(differences.every(({ claims }) => claims.includes(claim) || claim === 'iss')).toBe(true);
  });

  test.each([2, 3, 5, 8, 9, 10, 11, 12, 13, 18, 19, 20, 22, 23, 24, 1])('counts in Fulcio’s extension .%i', (n) => {
    const certificate = certificateOf(CLAIMS);
    certificate.extensions.set(`${FULCIO_ARC}.${n}`, { critical: false, value: n <= 6 ? raw('x') : derUtf8('x') });
    expect(judge(certificate)).toMatchObject({ verdict: 'claims_differ', fields: [`${FULCIO_ARC}.${n}`] });
  });

  test('counts where it cannot be read, and where an authority left it out of its arc', () => {
    const unreadable = certificateOf(CLAIMS);
    unreadable.extensions.set(`${FULCIO_ARC}.18`, { critical: false, value: raw('no DER') });
    expect(judge(unreadable).fields).toEqual([`${FULCIO_ARC}.18`]);
    const arcUnreadable = certificateOf(CLAIMS, { arc: '1.2.3.4' });
    arcUnreadable.extensions.set('1.2.3.4.8', { critical: false, value: raw('no DER') });
    expect(judge(arcUnreadable).fields).toEqual(['1.2.3.4']);
    const shorter = certificateOf(CLAIMS, { arc: '1.2.3.4' });
    shorter.extensions.delete('1.2.3.4.8');
    expect(judge(shorter).differences).toEqual([{ field: '1.2.3.4.8', claims: ['model_id'], expected: 'model-1' }]);
  });

  test('is silent where Fulcio’s extension is absent, as in certificates of an older mapping', () => {
    const older = certificateOf(CLAIMS);
    for (const n of [22, 24]) older.extensions.delete(`${FULCIO_ARC}.${n}`);
    expect(judge(older).verdict).toBe('agrees');
  });

  test('a second name beside the right one counts', () => {
    const certificate = certificateOf(CLAIMS);
    const uri = (text: string) => encodeDer(contextPrimitiveTag(6), raw(text));
    const names = derSequence(uri('agent:code-writer'), uri('agent:other'));
    certificate.extensions.set('2.5.29.17', { critical: true, value: names });
    expect(judge(certificate).fields).toEqual(['2.5.29.17']);
  });
});

test.each<[number, string]>([
  [-301, 'claims_differ'],
  [-300, 'agrees'],
  [900, 'agrees'],
  [901, 'claims_differ'],
])('a certificate that begins %i seconds after its token: %s', (seconds, verdict) => {
  expect(judge(certificateOf(CLAIMS, { at: IAT + seconds })).verdict).toBe(verdict);
});

test('of an erased row the time alone can be compared', () => {
  const erased = { issued_at: IAT, payload: null };
  expect(judge(certificateOf({ ...CLAIMS, model_id: 'x' }), erased)).toMatchObject({ verdict: 'erased', fields: [] });
  expect(judge(certificateOf(CLAIMS, { at: IAT + 86_400 }), erased)).toMatchObject({
    verdict: 'claims_differ',
    fields: ['not_before'],
  });
});

test('an event of the ledger, and a row that cannot be read, is no token', () => {
  const event = JSON.stringify({ event: 'caller.revoked', jti: 'the-jti', iat: IAT, caller: 'ci' });
  for (const payload of [event, 'null', '[]', 'no JSON']) {
    expect(judge(certificateOf(CLAIMS), { issued_at: IAT, payload }).verdict).toBe('token_unissued');
  }
});

test('a jti that stands nowhere, or in a run of another issuer, is missing', () => {
  const without = certificateOf(CLAIMS);
  without.extensions.delete(`${FULCIO_ARC}.21`);
  expect(judge(without).verdict).toBe('jti_missing');
  const elsewhere = certificateOf(CLAIMS);
  elsewhere.extensions.set(`${FULCIO_ARC}.21`, {
    critical: false,
    value: derUtf8('https://other.example/runs/the-jti'),
  });
  expect(judge(elsewhere).verdict).toBe('jti_missing');
  const { jti: _, ...claims } = CLAIMS;
  expect(judge(certificateOf(claims)).verdict).toBe('jti_missing');
});

test('either extension names the issuer, exactly', () => {
  const certificate = certificateOf(CLAIMS);
  expect(namesIssuer(certificate, ISSUER)).toBe(true);
  certificate.extensions.set(`${FULCIO_ARC}.8`, { critical: false, value: derUtf8('https://other.example') });
  expect(namesIssuer(certificate, ISSUER)).toBe(true);
  certificate.extensions.delete(`${FULCIO_ARC}.1`);
  expect(namesIssuer(certificate, ISSUER)).toBe(false);
  expect(namesIssuer(certificateOf({ ...CLAIMS, iss: `${ISSUER}/` }), ISSUER)).toBe(false);
  certificate.extensions.set(`${FULCIO_ARC}.8`, { critical: false, value: raw(ISSUER) });
  expect(namesIssuer(certificate, ISSUER)).toBe(false);
});

test('a token of which the ledger has no row was never issued', () => {
  expect(judge(certificateOf({ ...CLAIMS, jti: 'another' }))).toEqual({
    verdict: 'token_unissued',
    fields: [],
    differences: [],
  });
});

describe('what differs is said', () => {
  const changed = (number: number, text: string) => {
    const certificate = certificateOf(CLAIMS);
    certificate.extensions.set(`${FULCIO_ARC}.${number}`, { critical: false, value: derUtf8(text) });
    return judge(certificate).differences;
  };
  const named = (...names: string[]) => {
    const certificate = certificateOf(CLAIMS);
    const value = derSequence(...names.map((name) => encodeDer(contextPrimitiveTag(6), raw(name))));
    certificate.extensions.set('2.5.29.17', { critical: true, value });
    return judge(certificate).differences;
  };

  test('with the claims of the extension, and both values', () => {
    const expected = `${ISSUER}/agents/code-writer@1.2.3`;
    expect(changed(9, 'x')).toEqual([
      { field: `${FULCIO_ARC}.9`, claims: ['agent_name', 'agent_version'], expected, found: 'x' },
    ]);
    expect(changed(8, 'x')).toEqual([{ field: `${FULCIO_ARC}.8`, claims: ['iss'], expected: ISSUER, found: 'x' }]);
    expect(changed(24, 'x')).toEqual([
      { field: `${FULCIO_ARC}.24`, claims: ['sub'], expected: 'agent:code-writer', found: 'x' },
    ]);
  });

  test('with every name that the certificate has, or none', () => {
    const of = { field: '2.5.29.17', claims: ['sub'], expected: 'agent:code-writer' };
    expect(named('agent:code-writer', 'agent:other')).toEqual([{ ...of, found: 'agent:code-writer, agent:other' }]);
    expect(named()).toEqual([of]);
    const certificate = certificateOf(CLAIMS);
    certificate.extensions.set('2.5.29.17', { critical: true, value: raw('no DER') });
    expect(judge(certificate).differences).toEqual([{ ...of, found: '(no text)' }]);
    certificate.extensions.delete('2.5.29.17');
    expect(judge(certificate).differences).toEqual([of]);
  });

  test('with the times between which the token counted', () => {
    expect(judge(certificateOf(CLAIMS, { at: IAT + 86_400 })).differences).toEqual([
      {
        field: 'not_before',
        claims: ['iat', 'exp'],
        expected: `${time(IAT)} to ${time(IAT + 600)}`,
        found: time(IAT + 86_400),
      },
    ]);
    const timeless = { issued_at: IAT, payload: JSON.stringify({ ...CLAIMS, exp: 'never' }) };
    expect(judge(certificateOf(CLAIMS), timeless).differences).toMatchObject([
      { field: 'not_before', expected: `${time(IAT)} to unknown` },
    ]);
  });

  test('of an arc that cannot be read: all that stands under it', () => {
    const certificate = certificateOf(CLAIMS, { arc: '1.2.3.4' });
    certificate.extensions.set('1.2.3.4.8', { critical: false, value: raw('no DER') });
    expect(judge(certificate).differences).toEqual([
      { field: '1.2.3.4', claims: Object.keys(CLAIM_ARC_NUMBERS), found: '(no text)' },
    ]);
  });
});

describe('values of a row that a certificate carries as text', () => {
  const rowOf = (claims: object) => ({ issued_at: IAT, payload: JSON.stringify({ ...CLAIMS, ...claims }) });
  const arc = '1.2.3.4';

  test('are the one audience of a list, and no other list', () => {
    expect(judge(certificateOf(CLAIMS, { arc }), rowOf({ aud: ['sigstore'] })).verdict).toBe('agrees');
    expect(judge(certificateOf(CLAIMS, { arc }), rowOf({ aud: ['sigstore', 'x'] })).differences).toEqual([
      { field: '1.2.3.4.3', claims: ['aud'], expected: '["sigstore","x"]', found: 'sigstore' },
    ]);
  });

  test.each(['unknown', ''])('are none where they are "%s"', (provider) => {
    expect(judge(certificateOf(CLAIMS, { arc }), rowOf({ model_provider: provider })).fields).not.toContain(
      '1.2.3.4.9',
    );
  });
});

function time(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
