import { decodeBase64 } from '@colophon/encoding';
import { type EvidencePack, parseEvidencePack, type RejectedSignature } from '@colophon/records';
import {
  type CollectedSignature,
  type CollectedSignatures,
  collectedOlder,
  digestOf,
  type FetchedManifest,
  imageToFetch,
  RegistryError,
  type ResolvedImage,
} from '@colophon/sigstore';
import type { ImageMaterial } from '../image-gate/image-material.ts';
import type { PackHints } from './create-pack.ts';
import { PackError } from './pack-error.ts';

/** What a pack holds. Nothing of it is verified but the digests of manifests. */
export type OpenedPack = {
  readonly material: ImageMaterial;
  /** RFC 3339 with Z: when it was made, by its own word. */
  readonly createdAt: string;
  readonly hints: PackHints;
};

/**
 * Reads a pack. Its manifests have the digests that it says, and the image is the one that its name says; all else is for
 * whoever verifies the material.
 * @throws PackError `pack.malformed`, `pack.digest_mismatch`
 */
export function openPack(bytes: Uint8Array): OpenedPack {
  const parsed = parseEvidencePack(bytes);
  if (!parsed.ok) throw malformed('this is no evidence pack', { issues: parsed.issues });
  const pack = parsed.value;
  const manifests = pack.image.manifests.map(manifestIn);
  const { reference, digest } = pack.image;
  const [image] = manifests.filter((manifest) => manifest.digest === digest);
  if (image === undefined) {
    throw new PackError('pack.digest_mismatch', 'the pack does not hold the manifest of its image', {
      expected: digest,
    });
  }
  const named = namedIn(reference);
  if (named.digest !== undefined && named.digest !== digest) {
    const facts = { expected: named.digest, found: digest };
    throw new PackError('pack.digest_mismatch', 'the pack names one image and holds another', facts);
  }
  const resolved = {
    registry: named.registry,
    repository: named.repository,
    digest,
    mediaType: image.mediaType,
    size: image.bytes.length,
  };
  const { attached_to_manifests: ofManifests } = pack;
  return {
    material: {
      reference,
      image: resolved,
      attached: collectedIn(pack, resolved),
      ...(ofManifests === undefined ? {} : { attachedToManifests: collectedIn(ofManifests, resolved) }),
      manifests,
      lists: pack.rejection_lists.map(({ from, content, pages }) => ({
        from,
        bundle: bytesOf(content, 'a list of rejections'),
        // Whether these are the pages that were signed is for whoever verifies the list.
        pages: new Map(pages.map((page) => byDigest(bytesOf(page.content, 'a page of a list')))),
      })),
    },
    createdAt: pack.created_at,
    hints: {
      trustedRoots: pack.hints.trusted_roots.map(({ content, name, issuers }) => ({
        json: bytesOf(content, 'a trusted root'),
        ...(name === undefined ? {} : { name }),
        ...(issuers === undefined ? {} : { issuers }),
      })),
      policies: pack.hints.policies.map(({ name, content }) => ({ name, content: bytesOf(content, 'a policy') })),
    },
  };
}

function manifestIn({
  digest,
  media_type: mediaType,
  content,
}: EvidencePack['image']['manifests'][number]): FetchedManifest {
  const bytes = bytesOf(content, 'a manifest');
  const found = digestOf(bytes);
  if (found === digest) return { digest, mediaType, bytes };
  throw new PackError('pack.digest_mismatch', 'a manifest has another digest than the pack says', {
    expected: digest,
    found,
  });
}

function byDigest(bytes: Uint8Array): readonly [string, Uint8Array] {
  return [digestOf(bytes), bytes];
}

function namedIn(reference: string): ReturnType<typeof imageToFetch> {
  try {
    return imageToFetch(reference);
  } catch (error) {
    if (error instanceof RegistryError) throw malformed(`the image of the pack: ${error.message}`);
    throw error;
  }
}

type PackedAttachment = EvidencePack['attachments'][number] & { readonly manifest?: string };
type Packed = Pick<EvidencePack, 'unread' | 'malformed'> & { readonly attachments: readonly PackedAttachment[] };

function collectedIn({ attachments, unread, malformed }: Packed, image: ResolvedImage): CollectedSignatures {
  const { found, rejected } = attachmentsIn(attachments);
  return { image, found, rejected: [...malformed, ...rejected], incomplete: unread };
}

function attachmentsIn(attachments: readonly PackedAttachment[]): {
  readonly found: CollectedSignature[];
  readonly rejected: RejectedSignature[];
} {
  const found: CollectedSignature[] = [];
  const rejected: RejectedSignature[] = [];
  for (const { format, content: text, media_type: mediaType, annotations, manifest } of attachments) {
    const at = manifest === undefined ? {} : { manifest };
    const content = bytesOf(text, 'an attachment');
    const digest = digestOf(content);
    if (format === 'bundle') {
      found.push({ format, digest, bundle: content, ...at });
      continue;
    }
    if (mediaType === undefined || annotations === undefined) {
      throw malformed('an attachment of the older format is without media type or annotations');
    }
    const older = collectedOlder({ mediaType, content, annotations });
    // What a layer is says its media type; another label would have it read as something else than it was attached as.
    if (older !== undefined && older.format !== format)
      throw malformed('an attachment has the media type of another format');
    if (older !== undefined) found.push({ ...older, ...at });
    else {
      const message = `the attachment ${digest} does not count: its annotations hold no signature`;
      rejected.push({ code: 'image.attachment_malformed', message });
    }
  }
  return { found, rejected };
}

function bytesOf(content: string, what: string): Uint8Array {
  const bytes = decodeBase64(content);
  if (bytes !== undefined) return bytes;
  throw malformed(`${what} in the pack is no standard base64`);
}

function malformed(message: string, facts: { readonly issues?: PackError['issues'] } = {}): PackError {
  return new PackError('pack.malformed', message, { ...(facts.issues === undefined ? {} : { issues: facts.issues }) });
}
