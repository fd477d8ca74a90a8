import {
  alsoHaving,
  count,
  digest,
  flag,
  having,
  listOf,
  oneOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

const file = having('one published file', { file: string('its name at the place'), size: count, digest });

const publication = alsoHaving(
  having('its entry in the index of the place', {
    version: string('of the artifact'),
    published_at: timestamp,
    retain_until: { ...timestamp, description: 'it is not deleted before' },
    document: file,
    signature: file,
    bundle: file,
  }),
  {
    signed_by: having('the certificate’s subject', { subject: string('of the certificate'), issuer: string('of it') }),
  },
);

/** Which SBOM is published, and where. */
export const publicationFacts = {
  artifact: string('its name'),
  version: string('its version'),
  place: string('a folder, s3://bucket/prefix or https://host/path'),
} as const;
export const latest = string('the version that -latest points to');

/** What publishing answers, beside name and place. */
export const publishFacts = {
  publication,
  is_new: flag('false where the same was published before'),
  warnings: listOf('what the place cannot promise', string('a sentence')),
} as const;
export const publishOutcome = alsoHaving(having('what was published', publishFacts), { latest });

const { place } = publicationFacts;

/** `colophon sbom retention check`. Not `ok` where a file is not as it was published. */
export const retentionResult = resultOf('whether everything is kept as it was published', {
  place,
  version_count: count,
  file_count: count,
  problems: listOf(
    'files that are not',
    having('one of them', {
      file: string('its name at the place'),
      problem: oneOf('what is wrong', ['missing', 'changed', 'not_latest', 'retention_shortened']),
      expected: string('a digest, or a time'),
      found: string('what is there'),
    }),
  ),
});

/** `colophon sbom retention restore`. */
export const restoredResult = resultOf('what was restored from a backup', {
  place,
  restored_files: listOf('files that were written again', string('its name at the place')),
});

/** `colophon sbom unpublish`. */
export const unpublishedResult = resultOf('what was deleted', {
  ...publicationFacts,
  deleted_files: listOf('files that were deleted', string('its name at the place')),
});
