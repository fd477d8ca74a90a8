import { createIdentityPolicy, createTrustedRoot, loadTrustedRoot, signBlob, signStatement } from '@colophon/sigstore';
import Fastify from 'fastify';
import { statementAbout } from '../authority/proposal.ts';
import { ISSUER, openScratchAuthority } from '../authority/scratch-authority.ts';

/** A bundle as a client of the embedded authority has it, and what it is about. */
export type SignedArtifact = { readonly artifact: Uint8Array; readonly bundle: Uint8Array };

/** What verification needs to know. */
export type Verifier = Pick<Parameters<typeof import('@colophon/sigstore').verifyBundle>[0], 'trust' | 'policy'>;

/** What was signed, what verifies it in process, and the same trust as a document for other programs. */
export type SignedBundles = {
  readonly blobs: readonly SignedArtifact[];
  readonly statements: readonly SignedArtifact[];
  readonly verifier: Verifier;
  readonly trustedRoot: string;
};

/** Has `count` blobs and as many statements signed, each with a certificate of its own, over HTTP as everybody does. */
export async function signBundles(count: number): Promise<SignedBundles> {
  const { authority, mint, close } = await openScratchAuthority();
  const app = Fastify();
  authority.register(app);
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const peers = { fulcioUrl: url, rekorUrl: url, identityToken: mint };
    const artifacts = Array.from({ length: count }, (_, i) => Buffer.from(`artifact ${i}`));
    const blobs: SignedArtifact[] = [];
    const statements: SignedArtifact[] = [];
    for (const artifact of artifacts) {
      blobs.push({ artifact, ...(await signBlob({ ...peers, artifact })) });
      statements.push({ artifact, ...(await signStatement({ ...peers, statement: statementAbout(`${artifact}`) })) });
    }
    const { caCertificates, ctPublicKey, rekorPublicKey, validFrom } = authority.trust;
    const trustedRoot = JSON.stringify(
      createTrustedRoot({
        certificateChain: caCertificates.join(''),
        fulcioUrl: ISSUER,
        ctPublicKey,
        ctUrl: ISSUER,
        rekorPublicKey,
        rekorUrl: ISSUER,
        validFrom,
      }),
    );
    const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });
    return { blobs, statements, verifier: { trust: loadTrustedRoot(trustedRoot), policy }, trustedRoot };
  } finally {
    await app.close();
    await close();
  }
}
