import { latest, publicationFacts, publishFacts } from '@colophon/publishing/result';
import { alsoHaving, digest, having, type ResultOf, resultOf, string } from '@colophon/records/result';
import { type VerifiedResult, verifiedResult } from '../verified-result.ts';

const { $schema, ...published } = resultOf(
  'the SBOM that was published',
  { ...publicationFacts, ...publishFacts },
  { latest },
);
export type PublishedResult = ResultOf<typeof published>;

const verifiedPublication = alsoHaving(
  having('the published SBOM that was verified', {
    ...publicationFacts,
    digest: { ...digest, description: 'of the document: sha256: and 64 hex digits' },
  }),
  { latest },
);
export type CheckedPublication = Omit<VerifiedResult, 'artifact'> & ResultOf<typeof verifiedPublication>;

const { $schema: _, ...verified } = verifiedResult;
const checked = {
  ...verified,
  title: 'the published SBOM that was verified',
  required: [...new Set([...verified.required, ...verifiedPublication.required])],
  properties: { ...verified.properties, ...verifiedPublication.properties },
};

/** `colophon sbom publish`, or with --check. */
export const sbomPublishResult = { $schema, title: 'the SBOM that is published', anyOf: [published, checked] };

const written = {
  out: string('path of the document that was written'),
  bundle: string('path of the bundle that was written'),
} as const;

/** `colophon sbom fetch`. */
export const sbomFetchResult = {
  $schema,
  ...alsoHaving({ ...checked, title: 'the SBOM that was fetched and verified' }, written),
};
export type SbomFetchResult = CheckedPublication & { readonly [part in keyof typeof written]?: string };
