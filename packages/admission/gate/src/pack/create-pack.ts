import { encodeBase64 } from '@colophon/encoding';
import {
  EVIDENCE_PACK_LIMITS,
  EVIDENCE_PACK_MEDIA_TYPE,
  type EvidencePack,
  encodeEvidencePack,
  type RejectedSignature,
} from '@colophon/records';
import type { CollectedSignature, CollectedSignatures, TrustedRootSource } from '@colophon/sigstore';
import type { ImageMaterial } from '../image-gate/image-material.ts';
import { openPack } from './open-pack.ts';
import { PackError } from './pack-error.ts';

/** A trusted root in a pack. */
export type HintedRoot = { readonly json: Uint8Array } & Pick<TrustedRootSource, 'name' | 'issuers'>;

/** What the maker of a pack trusted. Said to people; a verifier brings their own. */
export type PackHints = {
  /** `trusted_root.json` files, each with its name and whom it is for where there are several. */
  readonly trustedRoots: readonly HintedRoot[];
  readonly policies: ReadonlyArray<{ readonly name: string; readonly content: Uint8Array }>;
};

/** RFC 6838 §4.2, as far as registries go by it. */
const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/;
const ANY_BYTES = 'application/octet-stream';

/**
 * Writes everything that was gathered of an image as one file. The same material and time give the same bytes.
 * @param createdAt RFC 3339 with Z: when registry and lists were asked
 * @throws PackError `pack.too_large`; `pack.malformed` where no reader would take it, as of more attachments than are looked at
 */
export function createPack(material: ImageMaterial, hints: PackHints, createdAt: string): Uint8Array {
  const { reference, image, attached, attachedToManifests, manifests, lists } = material;
  if ('overcrowded' in attached) throw new PackError('pack.too_large', attached.overcrowded, {});
  const pack: EvidencePack = {
    media_type: EVIDENCE_PACK_MEDIA_TYPE,
    created_at: createdAt,
    image: {
      reference,
      digest: image.digest,
      manifests: inOrder(
        manifests.map(({ digest, mediaType, bytes }) => ({
          digest,
          media_type: MEDIA_TYPE.test(mediaType) ? mediaType : ANY_BYTES,
          content: encodeBase64(bytes),
        })),
      ),
    },
    attachments: inOrder(attached.found.map(attachment)),
    unread: inOrder(attached.incomplete.map(said)),
    malformed: inOrder(attached.rejected.map(said)),
    ...(attachedToManifests === undefined ? {} : { attached_to_manifests: ofManifests(attachedToManifests) }),
    rejection_lists: inOrder(
      lists.flatMap((list) => {
        if ('error' in list) return [];
        const pages = [...list.pages.values()].map((page) => ({ content: encodeBase64(page) }));
        return [{ from: list.from, content: encodeBase64(list.bundle), pages }];
      }),
    ),
    hints: {
      trusted_roots: hints.trustedRoots.map(({ json, name, issuers }) => ({
        content: encodeBase64(json),
        ...(name === undefined ? {} : { name }),
        ...(issuers === undefined ? {} : { issuers: [...issuers] }),
      })),
      policies: hints.policies.map(({ name, content }) => ({ name, content: encodeBase64(content) })),
    },
  };
  const bytes = encodeEvidencePack(pack);
  if (bytes.length > EVIDENCE_PACK_LIMITS.maxBytes) {
    throw new PackError('pack.too_large', 'what is attached to the image does not fit into a pack', {
      expected: `at most ${EVIDENCE_PACK_LIMITS.maxBytes} bytes`,
      found: `${bytes.length} bytes`,
    });
  }
  // Nobody should find out after years that their pack is none.
  openPack(bytes);
  return bytes;
}

function ofManifests({
  found,
  incomplete,
  rejected,
}: CollectedSignatures): NonNullable<EvidencePack['attached_to_manifests']> {
  return {
    attachments: inOrder(
      found.flatMap((one) => (one.manifest === undefined ? [] : [{ ...attachment(one), manifest: one.manifest }])),
    ),
    unread: inOrder(incomplete.map(said)),
    malformed: inOrder(rejected.map(said)),
  };
}

function said({ code, message }: RejectedSignature): EvidencePack['unread'][number] {
  return { code, message };
}

function attachment({ format, bundle, layer }: CollectedSignature): EvidencePack['attachments'][number] {
  if (layer === undefined) return { format, content: encodeBase64(bundle) };
  const { content, mediaType: media_type, annotations } = layer;
  return { format, content: encodeBase64(content), media_type, annotations: { ...annotations } };
}

/** Whatever order a registry answered in. */
function inOrder<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => [JSON.stringify(item), item] as const);
  return keyed.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, item]) => item);
}
