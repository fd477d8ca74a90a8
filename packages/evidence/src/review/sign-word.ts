import type { Statement } from '@colophon/records';
import {
  addStatements,
  attestImage,
  type ImageSignatureResult,
  type KeylessOptions,
  keylessImageSigner,
  type ResolvedImage,
  signStatement,
} from '@colophon/sigstore';
import { storeEvidence } from '../client/evidence-client.ts';
import type { WordImage } from './image-subjects.ts';

/** A person's word about a commit or an artifact: an approval, a rejection, or its withdrawal. */
export type PersonsWord = {
  readonly statement: Statement;
  /** The image that it is attached to. */
  readonly image?: WordImage | undefined;
  /** Manifests of the image, an index, to which it is attached too. */
  readonly manifests?: readonly ResolvedImage[] | undefined;
};

/** What becomes of a word once it is in the log. */
export type WordKeeping = {
  /** The evidence store that it is handed to, and what errors call its bundle. */
  readonly store?: { readonly server: string; readonly name: string } | undefined;
  /** Told every bundle before it is handed in: what is in the log should be on disk. */
  readonly onSigned: (bundle: Uint8Array) => void;
  /**
   * Told every bundle that the store did not take, with the error of storeEvidence; what it throws ends the work. A
   * rejection that is in no list can be dropped by anybody with write access to the registry.
   */
  readonly onUnkept: (bundle: Uint8Array, error: unknown) => void;
};

/**
 * Signs a person's word, attaches it to its image, and hands it to the evidence store. An image may be signed in two
 * formats, each with a bundle and a log entry of its own.
 * @throws SigningError, ImageSignatureError, RegistryError; what `onSigned` and `onUnkept` throw
 */
export async function signWord(
  { statement, image, manifests = [] }: PersonsWord,
  options: KeylessOptions,
  { store, onSigned, onUnkept }: WordKeeping,
): Promise<ImageSignatureResult['signatures']> {
  const { signatures } =
    image === undefined
      ? { signatures: [await signStatement({ ...options, statement })] }
      : await attestImage({ ...image, signer: keylessImageSigner(options), attestation: { statement } });
  const attached = signatures.map(({ bundle }) => ({ bundle, predicateType: statement.predicateType }));
  for (const manifest of manifests) {
    await addStatements(attached, { client: image!.client, image: manifest, now: new Date() });
  }
  for (const { bundle } of signatures) {
    onSigned(bundle);
    if (store === undefined) continue;
    await storeEvidence(store.server, bundle, store.name).catch((error) => onUnkept(bundle, error));
  }
  return signatures;
}
