import { SHA256_PATTERN } from '@colophon/notation';
import { alsoHaving, exactly, listOf } from '../record-schema/object-schema.ts';
import { type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { MOST_NEGATIVES_PAGES, MOST_REJECTED_DIGESTS } from '../standing-negatives/standing-negatives-schema.ts';
import { ATTACHMENT_FORMATS } from '../verified-signature/verified-signature.ts';

/** Media type of an evidence pack, with its version. */
export const EVIDENCE_PACK_MEDIA_TYPE = 'application/vnd.colophon.evidence-pack.v1+json';

/** Attachments that a pack may hold: as many as are looked at on an image. */
const MOST_ATTACHMENTS = 1_000;
/** Issuers of one trusted root. */
const MOST_ISSUERS = 1_000;
/** Lists of rejections, trusted roots and policies, of each kind. */
const MOST_OTHERS = 32;

const name = (description: string) => ({ ...text, description, maxLength: 2048 }) as const;
const digest = { type: 'string', description: 'sha256:<64 lower-case hex digits>', pattern: SHA256_PATTERN } as const;
const content = { type: 'string', description: 'the bytes, standard base64 with padding' } as const;
const most = <const L extends object>(list: L, maxItems: number) => ({ ...list, maxItems });

const attachmentMembers = {
  format: { type: 'string', description: 'how it was attached', enum: ATTACHMENT_FORMATS },
  content: { ...content, description: 'a Sigstore bundle, or a layer of the older format; standard base64' },
} as const;
const ofOlderFormat = {
  media_type: name('of a layer of the older format'),
  annotations: {
    type: 'object',
    description: 'of a layer of the older format',
    additionalProperties: { type: 'string', description: 'text' },
  },
} as const;
const messages = <const D extends string>(description: D) =>
  most(
    listOf(description, exactly('one of them', { code: name('stable'), message: name('for people') })),
    MOST_ATTACHMENTS,
  );
const unread = messages('what may be a signature and could not be read');
const malformed = messages('what was attached and is no signature');

/**
 * Everything that is known of one image, in one file; published as docs/json/evidence-pack.v1.json. Nothing
 * in it counts before it was verified, and what it hints at is never trusted. A member that is not named here is refused.
 */
export const evidencePackSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'evidence pack, version 1',
  ...alsoHaving(
    exactly('an evidence pack', {
      media_type: { type: 'string', description: EVIDENCE_PACK_MEDIA_TYPE, enum: [EVIDENCE_PACK_MEDIA_TYPE] },
      created_at: { ...timestamp, description: 'when the registry and the lists were asked, in UTC' },
      image: exactly('the image', {
        reference: name('as it was asked for'),
        digest: { ...digest, description: 'what it was resolved to: sha256:<64 lower-case hex digits>' },
        manifests: {
          ...listOf(
            'the manifest of this digest and, where it is an index, the indexes inside it',
            exactly('a manifest', { digest, media_type: name('as the registry served it'), content }),
          ),
          minItems: 1,
          maxItems: MOST_REJECTED_DIGESTS + 1,
        },
      }),
      attachments: most(
        listOf(
          'what was attached to the image',
          alsoHaving(exactly('an attachment', attachmentMembers), ofOlderFormat),
        ),
        MOST_ATTACHMENTS,
      ),
      unread,
      malformed,
      rejection_lists: most(
        listOf(
          'signed lists of standing rejections',
          exactly('one list', {
            from: name('the address that it was fetched from'),
            content,
            pages: most(listOf('its pages', exactly('one page', { content })), MOST_NEGATIVES_PAGES),
          }),
        ),
        MOST_OTHERS,
      ),
      hints: exactly('what the maker trusted, for people: a verifier brings their own', {
        trusted_roots: most(
          listOf(
            'trusted_root.json files',
            alsoHaving(exactly('one root', { content }), {
              name: name('how results call it, where there are several'),
              issuers: most(
                listOf(
                  'whose certificates it was trusted for; absent where whom no other root names',
                  name('an issuer'),
                ),
                MOST_ISSUERS,
              ),
            }),
          ),
          MOST_OTHERS,
        ),
        policies: most(
          listOf('admission policies', exactly('one policy', { name: name('of its file'), content })),
          MOST_OTHERS,
        ),
      }),
    }),
    {
      attached_to_manifests: exactly(
        'of an index: what was attached to the manifests in it; absent where nobody looked, as for policies for agents alone',
        {
          attachments: most(
            listOf(
              'what was attached to one of them',
              alsoHaving(
                exactly('an attachment', { ...attachmentMembers, manifest: { ...digest, description: 'to which' } }),
                ofOlderFormat,
              ),
            ),
            MOST_ATTACHMENTS,
          ),
          unread,
          malformed,
        },
      ),
    },
  ),
} as const satisfies RecordSchema;
