import { ARTIFACT, draftBlob, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { parseBundle } from '../bundle/parse-bundle.ts';
import { assertEnoughLogs, assertEntryMatches, assertLogged, logOfEntry } from './log-entry.ts';
import { signedContentOf } from './signed-content.ts';

const local = new LocalSigstore();
const [root] = local.trust.roots;

function partsOf(json: unknown) {
  const bundle = parseBundle(toBytes(json));
  const content = signedContentOf(bundle.content, ARTIFACT);
  const entry = bundle.logEntries[0] as (typeof bundle.logEntries)[number];
  const { certificate } = bundle.signer as { certificate: Buffer };
  return { content, entry, certificate };
}
const blob = partsOf(draftBlob(local));
const statement = partsOf(draftStatement(local));
const [log] = root.logs as [(typeof root.logs)[number]];

describe('a log entry', () => {
  it('matches the signature, content and signer that it is about, and nothing else', () => {
    for (const { entry, content, certificate } of [blob, statement]) {
      expect(() => assertEntryMatches(entry, content, certificate)).not.toThrow();
      const other = Buffer.from('x');
      const mismatches = [
        [{ ...content, signature: other }, certificate, 'another signature'],
        [
          {
            ...content,
            signedDigest: other,
            ...(content.envelope && { envelope: { ...content.envelope, payloadDigest: other } }),
          },
          certificate,
          'another content',
        ],
        [content, other, 'another certificate or key'],
      ] as const;
      for (const [changed, signer, reason] of mismatches) {
        const error = refusal(() => assertEntryMatches(entry, changed, signer));
        expect([error.code, error.message]).toEqual(['log_entry.mismatch', `the log entry is about ${reason}`]);
      }
    }
  });

  it('about an envelope’s payload matches nothing that has no envelope', () => {
    const { envelope, ...bare } = statement.content;
    expect(refusal(() => assertEntryMatches(statement.entry, bare, statement.certificate)).code).toBe(
      'log_entry.kind_mismatch',
    );
  });

  it('without kind is not read', () => {
    const { kindVersion, ...rest } = blob.entry;
    const error = refusal(() =>
      assertEntryMatches({ ...rest, kindVersion: undefined }, blob.content, blob.certificate),
    );
    expect([error.code, error.message]).toEqual(['log_entry.malformed', expect.stringContaining('the bundle says /')]);
  });

  it('is of the pinned log that it names, in force at every time', () => {
    const time = (text: string) => ({ by: 'log', time: new Date(text), entry: blob.entry }) as const;
    expect(logOfEntry(blob.entry, root, [])).toBe(log);
    expect(logOfEntry(blob.entry, root, [time('2026-01-01T00:00:00Z')])).toBe(log);
    const early = refusal(() =>
      logOfEntry(blob.entry, root, [time('2026-05-01T00:00:00Z'), time('2025-12-31T23:59:59Z')]),
    );
    expect([early.code, early.message]).toEqual([
      'log_entry.untrusted_log',
      'the log of the entry was not in force at that time',
    ]);
    const nobody = refusal(() => logOfEntry({ ...blob.entry, logId: undefined }, root, []));
    expect([nobody.message, nobody.found]).toEqual(['the log of the entry is not in the trusted root', '']);
  });

  it('is taken from the second of two terms of one log', () => {
    const ended = { ...log, validUntil: new Date('2026-02-01T00:00:00Z') };
    const at = { by: 'log', time: local.now, entry: blob.entry } as const;
    expect(logOfEntry(blob.entry, { ...root, logs: [ended, log] }, [at])).toBe(log);
  });

  it('is logged by proof, and by promise alone only in the first version', () => {
    const { inclusionProof, inclusionPromise, ...bare } = blob.entry;
    const promised = { ...bare, inclusionPromise, inclusionProof: undefined };
    const proven = { ...bare, inclusionProof, inclusionPromise: undefined };
    const codeOf = (...args: Parameters<typeof assertLogged>) => refusal(() => assertLogged(...args)).code;
    expect(assertLogged(blob.entry, log, '0.3')).toBe(blob.entry);
    expect(assertLogged(blob.entry, log, '0.1')).toBe(blob.entry);
    expect(assertLogged(promised, log, '0.1')).toEqual(promised);
    expect(assertLogged(proven, log, '0.2')).toBe(proven);
    expect(codeOf(promised, log, '0.2')).toBe('log_entry.inclusion_proof_missing');
    expect(codeOf(proven, log, '0.1')).toBe('log_entry.set_missing');
    expect(codeOf({ ...proven, logIndex: '77' }, log, '0.3')).toBe('log_entry.mismatch');
    expect(refusal(() => assertLogged({ ...proven, logIndex: '77' }, log, '0.3')).message).toContain('another index');
  });

  it('counts once, however often it stands there', () => {
    const elsewhere = { ...blob.entry, logId: { keyId: Buffer.alloc(32, 1) } };
    const second = { ...blob.entry, canonicalizedBody: Buffer.from('other') };
    expect(refusal(() => assertEnoughLogs([blob.entry, { ...blob.entry, logIndex: '9' }], 1)).code).toBe(
      'log_entry.duplicate',
    );
    expect(() => assertEnoughLogs([blob.entry, elsewhere], 2)).not.toThrow();
    expect(() => assertEnoughLogs([blob.entry, second], 1)).not.toThrow();
    const error = refusal(() => assertEnoughLogs([blob.entry, second], 2));
    expect([error.code, error.expected, error.found]).toEqual(['log_entry.missing', '2', '1']);
    expect(refusal(() => assertEnoughLogs([], 1)).found).toBe('0');
    const nameless = { ...blob.entry, logId: undefined };
    expect(refusal(() => assertEnoughLogs([nameless, nameless], 1)).code).toBe('log_entry.duplicate');
    expect(() => assertEnoughLogs([nameless, blob.entry], 2)).not.toThrow();
  });
});
