import { toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { draftBlob, draftStatement, STATEMENT, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { CLAIMS, ISSUER, LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { formatInspection } from './format-inspection.ts';
import { inspect } from './inspect.ts';
import { InspectionError } from './inspection.ts';

const local = new LocalSigstore();
const leaf = local.issue(newKeys().publicKey);
const text = (value: string) => inspect(Buffer.from(value));

function refusal(bytes: Uint8Array | string): string {
  try {
    inspect(Buffer.from(bytes as string));
  } catch (error) {
    if (error instanceof InspectionError) return error.code;
    throw error;
  }
  return 'read';
}

describe('inspect', () => {
  it('decodes an identity token, says that it is a credential, and leaves its signature out', () => {
    const token = local.token({ ...CLAIMS, iat: 1_800_000_000 } as never);
    const found = text(`${token}\n`);
    expect(found.kind).toBe('identity-token');
    expect(found.verified).toBe(false);
    expect(found.notes).toEqual([
      'THIS IS A CREDENTIAL: anyone who holds the token can sign as agent:code-writer, until 2033-05-18T03:33:20.000Z. Do not paste it anywhere.',
    ]);
    expect(found.content).toEqual({
      header: { alg: 'RS256', kid: 'k' },
      claims: { exp: 2000000000, ...CLAIMS, iat: 1_800_000_000 },
      basis: expect.objectContaining({ 'claims.model_id': { source: 'declared', signer: ISSUER } }),
      times: { iat: '2027-01-15T08:00:00.000Z', exp: '2033-05-18T03:33:20.000Z' },
    });
    expect(formatInspection(found)).toContain(`  claims.model_id: declared, signed by ${ISSUER}`);
    const everything = JSON.stringify(found) + formatInspection(found).join('');
    expect(everything).not.toContain(token.split('.')[2]);
    expect(text('eyJhIjoxfQ.eyJhIjoxfQ.').notes[0]).toContain('its subject, and it never expires');
    expect(text('eyJhIjoxfQ.eyJleHAiOjl9.eA').content).toMatchObject({ times: { exp: '1970-01-01T00:00:09.000Z' } });
  });

  it('says what a token is for, and of a purpose that it does not know that it cannot be read', () => {
    const purposeIn = (claim_sources: string) => text(local.token({ ...CLAIMS, claim_sources })).content['purpose'];
    expect(purposeIn('purpose=commit;repo=declared')).toBe('commit');
    expect(purposeIn('repo=declared;purpose=commit')).toBe('unreadable');
    expect(purposeIn('repo=declared')).toBeUndefined();
  });

  it.each([
    ['PEM', () => Buffer.from(toPem(leaf))],
    ['DER', () => leaf],
  ])('decodes a certificate in %s, with extensions by their names', (_form, bytes) => {
    const { kind, content, notes } = inspect(bytes());
    expect(kind).toBe('certificate');
    expect(notes).toEqual([expect.stringContaining('Nothing here is verified')]);
    const [certificate] = content['certificates'] as { [field: string]: unknown }[];
    expect(certificate).toMatchObject({
      subject_alternative_names: ['agent:code-writer'],
      not_before: '2026-11-21T10:00:00.000Z',
      not_after: '2026-11-21T10:10:00.000Z',
      serial_number: '1267',
      certificate_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      certificate_identity: { issuer: ISSUER, subject: 'agent:code-writer', claims: { model_id: 'claude-x' } },
    });
    const names = Object.fromEntries(
      (certificate!['extensions'] as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
    );
    expect(names).toMatchObject({
      issuer: ISSUER,
      'GitHub workflow trigger': 'pull_request',
      'build signer URI': `${ISSUER}/agents/code-writer@1.2.3`,
      'claim model_id': 'claude-x',
      'subject alternative name': 'agent:code-writer',
      'certificate timestamps': expect.stringMatching(/^2026-11-21T10:00:00.000Z by log [0-9a-f]{64}$/),
    });
  });

  it('shows a certificate that contradicts itself, and why', () => {
    const odd = local.issue(newKeys().publicKey, {
      extra: [
        { oid: '1.3.6.1.4.1.57264.1.24', value: Buffer.from('0500', 'hex') },
        { oid: '1.3.6.1.4.1.57264.1.99', value: Buffer.of(1) },
        { oid: '2.999.7080.1.99', value: Buffer.of(1) },
        { oid: '1.2.3', value: Buffer.of(1) },
      ],
    });
    const [certificate] = inspect(odd).content['certificates'] as { [field: string]: unknown }[];
    expect(certificate).toMatchObject({
      certificate_identity: null,
      problems: [{ code: 'certificate.malformed', message: expect.any(String) }],
    });
    const shown = (certificate!['extensions'] as { oid: string; name: string; value: string }[]).slice(-5, -1);
    expect(shown.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'token subject: hex 0500',
      'of Fulcio: hex 01',
      'of Colophon: hex 01',
      'unknown: hex 01',
    ]);
  });

  it('decodes every certificate of a chain', () => {
    const chain = toPem(local.intermediateCertificate) + toPem(local.rootCertificate);
    expect(text(chain).content['certificates']).toHaveLength(2);
    const printed = `subject=CN=x\r\n${chain.replaceAll('\n', '\r\n')}-----BEGIN PUBLIC KEY-----\n`;
    expect(text(printed).content['certificates']).toEqual(text(chain).content['certificates']);
  });

  it('decodes a trusted root', () => {
    const { kind, content } = inspect(toBytes(local.trustedRootJson()));
    expect(kind).toBe('trusted-root');
    expect(content).toMatchObject({
      logs: [
        {
          url: 'http://localhost:7080',
          log_id: local.log.logId.toString('hex'),
          valid: 'from 2026-01-01T00:00:00.000Z',
        },
      ],
      certificate_logs: [{ url: 'http://localhost:7080' }],
      timestamp_authorities: [{ valid: expect.any(String) }],
    });
    expect(content['certificates']).toHaveLength(2);
  });

  it('decodes bundles', () => {
    const blob = inspect(toBytes(draftBlob(local)));
    expect(blob.kind).toBe('bundle');
    expect(blob.content).toMatchObject({
      version: '0.3',
      signer: { certificate: { subject_alternative_names: ['agent:code-writer'] } },
      content: { artifact_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      log_entries: [
        {
          kind: 'hashedrekord/0.0.1',
          integrated_at: '2026-11-21T10:00:00.000Z',
          has_promise: true,
          tree_size: expect.any(Number),
        },
      ],
      timestamp_count: 0,
    });
    expect(inspect(toBytes(draftStatement(local))).content).toMatchObject({ content: { statement: STATEMENT } });
    expect(inspect(toBytes(draftBlob(local, Buffer.from('x'), { keyed: true }))).content).toMatchObject({
      signer: { public_key_hint: expect.any(String) },
    });
    const bare = draftBlob(local);
    delete bare.messageSignature.messageDigest;
    Object.assign(bare.verificationMaterial, { tlogEntries: [{}] });
    expect(inspect(toBytes(bare)).content).toMatchObject({
      content: { artifact_digest: null },
      log_entries: [{ log_index: 0, log_id: null, integrated_at: null, has_promise: false, tree_size: null }],
    });
  });

  it('decodes envelopes, statements and log entries', () => {
    const { dsseEnvelope } = draftStatement(local);
    expect(inspect(toBytes(dsseEnvelope))).toMatchObject({
      kind: 'dsse-envelope',
      content: { signature_count: 1, statement: STATEMENT },
    });
    expect(inspect(toBytes({ ...dsseEnvelope, payloadType: 'text/plain' })).content).toMatchObject({
      payload_type: 'text/plain',
      payload_bytes: expect.any(Number),
    });
    expect(inspect(toBytes(STATEMENT))).toMatchObject({ kind: 'statement', content: STATEMENT });
    draftBlob(local);
    const entry = inspect(toBytes(local.log.entryAt(0)));
    const other: Record<string, { body: string }> = structuredClone(local.log.entryAt(0)) as never;
    Object.values(other)[0]!.body += '====';
    expect(refusal(toBytes(other))).toBe('inspect.unrecognized');
    expect(entry).toMatchObject({
      kind: 'log-entry',
      content: {
        uuid: local.log.uuidAt(0),
        log_index: 0,
        integrated_at: '2026-11-21T10:00:00.000Z',
        kind: 'hashedrekord/0.0.1',
        body: { kind: 'hashedrekord' },
      },
    });
  });

  it.each<[title: string, bytes: Uint8Array | string, code: string]>([
    ['nothing', '', 'inspect.unrecognized'],
    ['text', 'hello', 'inspect.unrecognized'],
    ['a list', '[]', 'inspect.unrecognized'],
    ['another object', '{"a":1}', 'inspect.unrecognized'],
    ['a token whose parts are no JSON', 'aaaa.bbbb.cccc', 'inspect.malformed'],
    ['a token whose signature no verifier reads', 'e30.e30.AB', 'inspect.malformed'],
    [
      'a certificate whose base64 is none',
      toPem(leaf).replace('\n-----END', '====\nbW9yZQ\n-----END'),
      'inspect.malformed',
    ],
    ['a chain of which one block has no end', toPem(leaf).slice(0, -30) + toPem(leaf), 'inspect.malformed'],
    ['DER that is no certificate', Buffer.from('300101', 'hex'), 'inspect.malformed'],
    ['an envelope without signatures', '{"payloadType":"x","payload":"AA=="}', 'inspect.malformed'],
    ['a statement without subject', '{"_type":"https://in-toto.io/Statement/v1"}', 'inspect.malformed'],
    ['a bundle that is none', '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}', 'inspect.malformed'],
    [
      'a trusted root that is none',
      '{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}',
      'inspect.malformed',
    ],
  ])('does not take %s for a document', (_title, bytes, code) => {
    expect(refusal(bytes)).toBe(code);
  });
});

describe('what a person reads', () => {
  it('says first that nothing is verified, and cannot be forged by the document', () => {
    const lines = formatInspection(
      inspect(toBytes({ ...STATEMENT, predicate: { 'a\nb': ['\u001b[2J', '\u202eevil', { c: null }], d: 1 } })),
    );
    expect(lines[0]).toBe('statement (not verified)');
    expect(lines[1]).toMatch(/^! Nothing here is verified/);
    expect(lines).toContain('  a\\u{a}b:');
    expect(lines).toContain('    - \\u{1b}[2J');
    expect(lines).toContain('    - \\u{202e}evil');
    expect(lines).toContain('      c: null');
    expect(lines).toContain('  d: 1');
    for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
  });
});
