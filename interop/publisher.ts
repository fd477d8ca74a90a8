import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openTarget, type PublishedSignature, publish } from '@colophon/publishing';

/**
 * Publishes one version after the other until somebody ends it: `node publisher.ts PLACE KEY FIRST LAST`. Each document
 * is signed with the key; the bundle holds the signature once more.
 */
const [place, keyFile, first, last] = process.argv.slice(2) as [string, string, string, string];
const key = createPrivateKey(readFileSync(keyFile));
const publicKey = createPublicKey(key);
const target = await openTarget(place, { env: process.env });

for (let i = Number(first); i <= Number(last); i++) {
  const version = `1.0.${i}`;
  const component = { type: 'application', name: 'web', version, description: 'x'.repeat((i % 7) * 3000) };
  const document = Buffer.from(
    JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, metadata: { component } }),
  );
  const recognize = (found: PublishedSignature) => {
    const signature = Buffer.from(Buffer.from(found.signature).toString(), 'base64');
    return verify('sha256', document, publicKey, signature) ? found : undefined;
  };
  const signOnce = async (): Promise<PublishedSignature> => {
    const signature = Buffer.from(sign('sha256', document, key).toString('base64'));
    return { signature, bundle: Buffer.from(JSON.stringify({ signature: signature.toString() })) };
  };
  const now = () => new Date();
  await publish({ target, artifact: 'web', version, document, sign: signOnce, recognize, now });
  process.stdout.write(`${version}\n`);
}
