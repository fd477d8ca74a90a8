import { createStatement, STATEMENT_TYPE, type Statement, type Subject } from '@colophon/records';
import { formatRepository } from '../image-reference/image-reference.ts';
import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { createKeylessSigner, type KeylessOptions, type KeylessSigner, type SignedBundle } from '../sign/sign.ts';
import { createKeyedSigner, type KeyedOptions } from '../sign/sign-with-key.ts';
import { SigningError } from '../sign/signing-error.ts';
import { attachBundle, attachOlderLayer } from './attach.ts';
import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import { hasLogPromise, type OlderLayer, olderAttestationLayer, olderSignatureLayer } from './older-format.ts';
import { createSimpleSigning } from './simple-signing.ts';

/** Makes the signatures of one image; each is in the log when its promise is fulfilled. */
export type ImageSigner<B extends ImageBundle = ImageBundle> = {
  /** A message signature over the payload. Undefined where the signer makes none, so no older image signature. */
  readonly signPayload: ((payload: Uint8Array) => Promise<B>) | undefined;
  /** The statement in an envelope. */
  signStatement(statement: Statement): Promise<B>;
};

/** One signature of an image, and who made it; nobody is known of a key. */
export type ImageBundle = Pick<SignedBundle, 'bundle'> & Partial<SignedBundle>;

/** Signs one image with a key of one's own. @throws SigningError `signing.key_invalid` */
export function keyedImageSigner(options: KeyedOptions): ImageSigner {
  return createKeyedSigner(options);
}

/**
 * Signs one image keylessly. All of its signatures are made with one certificate, which is bought when the first of
 * them is wanted: one token for one artifact.
 */
export function keylessImageSigner(options: KeylessOptions): Pick<KeylessSigner, 'signPayload' | 'signStatement'> {
  let bought: Promise<KeylessSigner> | undefined;
  const signer = (first?: Statement) => {
    bought ??= createKeylessSigner(options, first);
    return bought;
  };
  return {
    signPayload: async (payload) => (await signer()).signPayload(payload),
    signStatement: async (statement) => (await signer(statement)).signStatement(statement),
  };
}

/**
 * How it is attached. `auto` writes the bundle, and the older tag format as well where the log gives the promise that
 * it needs: Rekor v1 does, v2 does not.
 */
export type ImageSignatureFormat = 'auto' | 'bundle' | 'older';

type AttachOptions<B extends ImageBundle = ImageBundle> = {
  readonly client: RegistryClient;
  readonly image: ResolvedImage;
  readonly signer: ImageSigner<B>;
  readonly format?: ImageSignatureFormat | undefined;
  readonly now?: (() => Date) | undefined;
  /** Told every bundle that is in the log before it is attached: what cannot be attached is not lost. */
  readonly onSigned?: ((bundle: Uint8Array) => void) | undefined;
};

export type SignImageOptions<B extends ImageBundle = ImageBundle> = AttachOptions<B>;
export type AttestImageOptions<B extends ImageBundle = ImageBundle> = AttachOptions<B> & {
  /** The predicate, with its type; or a whole statement, one of whose subjects must be the image. */
  readonly attestation:
    | { readonly predicateType: string; readonly predicate: unknown }
    | { readonly statement: Statement };
};

/** What was attached. */
export type ImageSignatureResult<B extends ImageBundle = ImageBundle> = {
  readonly image: ResolvedImage;
  /** Every signature that was made, in order: each is one entry of the log. */
  readonly signatures: readonly B[];
  readonly formats: readonly ('bundle' | 'older')[];
  /** Why the older format is not there beside the bundle, where the registry lets its tag not be moved. */
  readonly olderRefused?: RegistryError;
  readonly statement?: Statement;
};

/**
 * Signs an image by its digest. The two formats sign two different texts, so writing both takes two log entries,
 * of one certificate. Nothing is attached before everything is signed.
 * @throws ImageSignatureError `image.promise_missing` where the older format is demanded of a log without promises
 * @throws SigningError, RegistryError; `signing.key_invalid` where the older format is demanded of a key that makes none
 */
export async function signImage<B extends ImageBundle>(options: SignImageOptions<B>): Promise<ImageSignatureResult<B>> {
  const { client, image, signer, format = 'auto', now = () => new Date(), onSigned } = options;
  const statement: Statement = {
    _type: STATEMENT_TYPE,
    subject: [{ digest: { sha256: sha256Of(image) } }],
    predicateType: SIGN_PREDICATE_TYPE,
    predicate: {},
  };
  const { signPayload } = signer;
  if (format === 'older' && signPayload === undefined) {
    throw new SigningError('signing.key_invalid', 'no reader of the older format verifies signatures by Ed25519');
  }
  const signed = format === 'older' ? undefined : await signer.signStatement(statement);
  const wantsOlder = format === 'older' || (signed !== undefined && format === 'auto' && hasLogPromise(signed.bundle));
  const payload = createSimpleSigning(image);
  const older = wantsOlder ? await signPayload?.(payload) : undefined;
  const layer = older === undefined ? undefined : olderSignatureLayer(payload, older.bundle);

  const signatures = [signed, older].filter((signature) => signature !== undefined);
  for (const { bundle } of signatures) onSigned?.(bundle);
  if (signed !== undefined) {
    await attachBundle(client, image, { bundle: signed.bundle, predicateType: SIGN_PREDICATE_TYPE, now: now() });
  }
  const attached = await attachOlder({ client, image, kind: 'sig', layer, isBeside: signed !== undefined });
  return { image, signatures, ...attached };
}

/**
 * Attests something about an image, in a Statement v1 whose subject is its digest. Both formats carry the same
 * envelope, so there is one token, one certificate and one log entry.
 * @throws ImageSignatureError `image.statement_about_other`; `image.promise_missing` as signImage
 * @throws SigningError, RegistryError
 */
export async function attestImage<B extends ImageBundle>(
  options: AttestImageOptions<B>,
): Promise<ImageSignatureResult<B>> {
  const { client, image, signer, attestation, format = 'auto', now = () => new Date(), onSigned } = options;
  const statement = statementOf(attestation, image);
  const { predicateType } = statement;
  const signed = await signer.signStatement(statement);
  const { bundle } = signed;
  const wantsOlder = format === 'older' || (format === 'auto' && hasLogPromise(bundle));
  const layer = wantsOlder ? olderAttestationLayer(bundle, predicateType) : undefined;

  onSigned?.(bundle);
  if (format !== 'older') await attachBundle(client, image, { bundle, predicateType, now: now() });
  const attached = await attachOlder({ client, image, kind: 'att', layer, isBeside: format !== 'older' });
  return { image, signatures: [signed], ...attached, statement };
}

/**
 * Attaches the older format, where it was made. Beside a bundle it is a copy for older readers: where the registry lets
 * its tag not be moved, the bundle that is attached is the signature all the same.
 */
async function attachOlder({
  client,
  image,
  kind,
  layer,
  isBeside,
}: {
  readonly client: RegistryClient;
  readonly image: ResolvedImage;
  readonly kind: 'sig' | 'att';
  readonly layer: OlderLayer | undefined;
  /** Whether the bundle is attached already. */
  readonly isBeside: boolean;
}): Promise<Pick<ImageSignatureResult, 'formats' | 'olderRefused'>> {
  const bundle = isBeside ? (['bundle'] as const) : [];
  if (layer === undefined) return { formats: bundle };
  try {
    await attachOlderLayer(client, image, kind, layer);
    return { formats: [...bundle, 'older'] };
  } catch (error) {
    const isKept = isBeside && error instanceof RegistryError && error.code === 'registry.tag_immutable';
    if (!isKept) throw error;
    return { formats: bundle, olderRefused: error };
  }
}

function statementOf(attestation: AttestImageOptions['attestation'], image: ResolvedImage): Statement {
  const sha256 = sha256Of(image);
  if (!('statement' in attestation)) {
    const subject: Subject = { name: formatRepository(image), digest: { sha256 } };
    return createStatement({ ...attestation, subjects: [subject] });
  }
  const { statement } = attestation;
  if (statement.subject.some(({ digest }) => digest['sha256'] === sha256)) return statement;
  throw new ImageSignatureError(
    'image.statement_about_other',
    `the statement has no subject with the digest of the image, ${image.digest}`,
  );
}

function sha256Of({ digest }: ResolvedImage): string {
  return digest.slice('sha256:'.length);
}
