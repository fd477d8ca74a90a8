import { gatheredRun, refusedBundle } from '@colophon/evidence/result';
import { listOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { attributedBom } from '@colophon/sbom/result';

const { refused_paths, ...attributed } = attributedBom.properties;

/** `colophon sbom attribute`. */
export const sbomAttributeResult = resultOf(
  'the attribution that was written',
  {
    file: string('path of the document that was read'),
    ...attributed,
    runs: listOf('the runs that were verified', gatheredRun),
    refused: listOf('bundles that do not count', refusedBundle),
    refused_paths,
  },
  { out: string('path of the document that was written; absent for standard output') },
);
export type SbomAttributeResult = ResultOf<typeof sbomAttributeResult>;
