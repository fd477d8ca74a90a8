import { createHash, sign } from 'node:crypto';
import { parsePem } from '@colophon/encoding';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogEntry } from '../src/transparency-log/log-tree.ts';
import { type RunningAuthority, runAuthority } from './running-authority.ts';
import { base64, dsseOf, envelopeOf, hashedRekordOf, makeSigner, type Signer } from './signer.ts';

// Everything that the authority makes, verified by a verifier that nobody here wrote.
let running: RunningAuthority;
beforeAll(async () => {
  running = await runAuthority();
});
afterAll(() => running.remove());

const signer = makeSigner();
const derOf = (pem: string) => base64(parsePem(pem)![0]!.der);

function trustMaterial() {
  const { caCertificates, ctPublicKey, rekorPublicKey, baseUrl, validFrom } = running.authority.trust;
  const log = (spki: Uint8Array) => ({
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: base64(spki),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start: validFrom.toISOString() },
    },
    logId: { keyId: createHash('sha256').update(spki).digest('base64') },
  });
  return toTrustMaterial(
    TrustedRoot.fromJSON({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(rekorPublicKey)],
      certificateAuthorities: [
        {
          subject: { organization: 'local', commonName: 'local' },
          uri: baseUrl,
          certChain: { certificates: caCertificates.map((pem) => ({ rawBytes: derOf(pem) })) },
          validFor: { start: validFrom.toISOString() },
        },
      ],
      ctlogs: [log(ctPublicKey)],
      timestampAuthorities: [],
    }),
  );
}

function bundleOf(leaf: string, kind: string, entry: LogEntry, content: object) {
  const { verification, logIndex, logID, integratedTime, body } = entry;
  const { inclusionProof, signedEntryTimestamp } = verification;
  return bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      certificate: { rawBytes: derOf(leaf) },
      tlogEntries: [
        {
          logIndex: String(logIndex),
          logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
          kindVersion: { kind, version: '0.0.1' },
          integratedTime: String(integratedTime),
          inclusionPromise: { signedEntryTimestamp },
          inclusionProof: {
            logIndex: String(inclusionProof.logIndex),
            rootHash: Buffer.from(inclusionProof.rootHash, 'hex').toString('base64'),
            treeSize: String(inclusionProof.treeSize),
            hashes: inclusionProof.hashes.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
            checkpoint: { envelope: inclusionProof.checkpoint },
          },
          canonicalizedBody: body,
        },
      ],
    },
    ...content,
  });
}

const verifier = () => new Verifier(trustMaterial(), { ctlogThreshold: 1, tlogThreshold: 1 });

async function signMessage(by: Signer, artifact: string) {
  const [leaf] = (await running.certify(by)) as [string];
  const proposed = hashedRekordOf(by, artifact, leaf);
  const entry = await running.authority.addLogEntry(proposed);
  const { signature } = proposed['spec'] as { signature: { content: string } };
  const messageDigest = { algorithm: 'SHA2_256', digest: createHash('sha256').update(artifact).digest('base64') };
  return { leaf, entry, content: { messageSignature: { messageDigest, signature: signature.content } } };
}

test('sigstore-js verifies certificate, timestamp, promise, inclusion and checkpoint of a signed message', async () => {
  await running.authority.addLogEntry(hashedRekordOf(signer, 'something else'));
  const { leaf, entry, content } = await signMessage(signer, 'artifact');
  const bundle = bundleOf(leaf, 'hashedrekord', entry, content);
  const { identity } = verifier().verify(toSignedEntity(bundle, Buffer.from('artifact')), {
    subjectAlternativeName: /^agent:code-writer$/,
    extensions: { issuer: 'http://localhost:7080' },
  });
  expect(identity?.subjectAlternativeName).toBe('agent:code-writer');
  expect(() => verifier().verify(toSignedEntity(bundle, Buffer.from('tampered')))).toThrow();
});

test('sigstore-js verifies a signed statement', async () => {
  const [leaf] = (await running.certify(signer)) as [string];
  const envelope = envelopeOf([signer]);
  const proposed = dsseOf([{ ...signer, pem: leaf }], JSON.stringify(envelope));
  const entry = await running.authority.addLogEntry(proposed);
  const bundle = bundleOf(leaf, 'dsse', entry, { dsseEnvelope: envelope });
  expect(verifier().verify(toSignedEntity(bundle)).identity?.subjectAlternativeName).toBe('agent:code-writer');
});

test('sigstore-js refuses what was changed after the fact', async () => {
  const { leaf, entry, content } = await signMessage(signer, 'artifact 2');
  const changed: Array<[string, LogEntry]> = [
    ['time', { ...entry, integratedTime: entry.integratedTime + 1 }],
    ['index', { ...entry, logIndex: entry.logIndex + 1 }],
    [
      'promise',
      {
        ...entry,
        verification: {
          ...entry.verification,
          signedEntryTimestamp: base64(sign('sha256', Buffer.from('x'), signer.privateKey)),
        },
      },
    ],
    ['path', withProof(entry, { hashes: [] })],
    [
      'checkpoint',
      withProof(entry, {
        checkpoint: entry.verification.inclusionProof.checkpoint.replace('localhost - ', 'localhost - 1'),
      }),
    ],
  ];
  for (const [what, other] of changed) {
    const bundle = bundleOf(leaf, 'hashedrekord', other, content);
    expect(() => verifier().verify(toSignedEntity(bundle, Buffer.from('artifact 2'))), what).toThrow();
  }
});

function withProof(entry: LogEntry, changes: Partial<LogEntry['verification']['inclusionProof']>): LogEntry {
  return {
    ...entry,
    verification: { ...entry.verification, inclusionProof: { ...entry.verification.inclusionProof, ...changes } },
  };
}
