import { createHash } from 'node:crypto';
import type { PublishedSignature } from '../src/publication/publish.ts';

/** A document about an artifact; `note` makes it another one. */
export function documentOf(artifact: string, version: string, note = ''): Buffer {
  const component = { type: 'application', name: artifact, version, description: note };
  return Buffer.from(
    JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, metadata: { component } }),
  );
}

let signatures = 0;

/** Stands for a signature: another one each time, and whoever reads it can tell what it is over. */
export function signatureOf(document: Uint8Array): PublishedSignature {
  const digest = createHash('sha256').update(document).digest('hex');
  const text = `${digest}:${process.pid}:${signatures++}`;
  return {
    signature: Buffer.from(Buffer.from(text).toString('base64')),
    bundle: Buffer.from(JSON.stringify({ text })),
  };
}

export function isPair(document: Uint8Array, { signature, bundle }: PublishedSignature): boolean {
  const digest = createHash('sha256').update(document).digest('hex');
  const text = Buffer.from(Buffer.from(signature).toString(), 'base64').toString();
  return text.startsWith(`${digest}:`) && JSON.parse(Buffer.from(bundle).toString()).text === text;
}

/** What `publish` wants beside target, name and document. */
export function publisherOf(document: Uint8Array) {
  return {
    document,
    sign: async () => signatureOf(document),
    recognize: (found: PublishedSignature) => (isPair(document, found) ? found : undefined),
    now: () => new Date(),
  };
}
