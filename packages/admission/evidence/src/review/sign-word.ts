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
  /** Told every bundle before it is attached or handed in: what is in the log should be on disk. */
  readonly onSigned: (bundle: Uint8Array) => void;
  /** Told why the older format of an image could not be written beside the bundle. */
  readonly onOlderRefused?: (error: Error) => void;
  /**
   * Told every bundle that the store did not take, with the error of storeEvidence; what it throws ends the work. A
   * rejection that is in no list can be dropped by anybody with write access to the registry.
   */
  readonly onUnkept: (bundle: Uint8Array, error: unknown) => void;
};

/**
 * Signs a person's word, attaches it to its image, and hands it to the evidence store, also where it could not be
 * attached: what is in the log is somebody's word.
 * @throws SigningError, ImageSignatureError, RegistryError; what `onSigned` and `onUnkept` throw
 */
export async function signWord(
  { statement, image, manifests = [] }: PersonsWord,
  options: KeylessOptions,
  { store, onSigned, onOlderRefused, onUnkept }: WordKeeping,
): Promise<ImageSignatureResult['signatures']> {
  const made: Uint8Array[] = [];
  const note = (bundle: Uint8Array) => {
    made.push(bundle);
    onSigned(bundle);
  };
  const hand = async () => {
    if (store === undefined) return;
    for (const bundle of made) {
      await storeEvidence(store.server, bundle, store.name).catch((error) => onUnkept(bundle, error));
    }
  };
  if (image === undefined) {
    const signed = await signStatement({ ...options, statement });
    note(signed.bundle);
    await hand();
    return [signed];
  }
  const signing = { ...image, signer: keylessImageSigner(options), attestation: { statement }, onSigned: note };
  let result: ImageSignatureResult;
  try {
    result = await attestImage(signing);
    const attached = made.map((bundle) => ({ bundle, predicateType: statement.predicateType }));
    for (const manifest of manifests) {
      await addStatements(attached, { client: image.client, image: manifest, now: new Date() });
    }
  } catch (error) {
    await hand();
    throw error;
  }
  if (result.olderRefused !== undefined) onOlderRefused?.(result.olderRefused);
  await hand();
  return result.signatures;
}
