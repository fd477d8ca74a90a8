import {
  alsoHaving,
  certificateIdentity,
  count,
  digest,
  fieldBasis,
  flag,
  having,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { attribution, sbomLoss } from '@colophon/sbom/result';

const path = string('a path in the repository');

const content = alsoHaving(
  having('a file of the run, compared with what its commit wrote', {
    file: path,
    state: oneOf('same: as the commit wrote it; gone: deleted by it; unknown: nothing to compare with', [
      'same',
      'gone',
      'changed',
      'unknown',
    ]),
  }),
  {
    commit: string('that wrote it'),
    digest,
    changed_by: string('whose change it is now: a commit, or working tree'),
  },
);

const mark = {
  path: string('JSON Pointer into the document that was written'),
  component: string('its bom-ref, else its purl, else its name'),
  attribution,
} as const;

const supported = having('a component whose attribution verified evidence supports', {
  ...mark,
  bundle_digest: { ...digest, description: 'of the bundle that the attribution rests on' },
  files: listOf('files of the run that belong to it', path),
  contents: listOf('what became of these files', content),
  earlier_bundle_digests: listOf('of runs that changed it before', digest),
});

const declared = having('a component whose attribution nothing supports', {
  ...mark,
  was: oneOf('what it was before; unsupported: it named evidence that nothing here supports', [
    'new',
    'unlabelled',
    'declared',
    'unsupported',
  ]),
});

const run = alsoHaving(
  having('an agent run whose bundle was verified', {
    bundle_digest: digest,
    url: string('where the bundle can be had'),
    certificate_identity: certificateIdentity,
    commit_sha: string('the commit of the run'),
    integrated_at: { ...timestamp, description: 'the time that the log, or a timestamp authority, vouches for' },
    changed_file_count: count,
  }),
  {
    review: alsoHaving(
      having('the review that counts for its commit', {
        reviewer: string('an e-mail address'),
        basis: fieldBasis.additionalProperties,
      }),
      { reviewed_at: timestamp },
    ),
    claimed_reviewer: string('the reviewer that the agent names, who does not count'),
  },
);

/** `colophon sbom attribute`. */
export const sbomAttributeResult = resultOf(
  'the attribution that was written',
  {
    file: string('path of the document that was read'),
    spec_version: string('of CycloneDX'),
    previous_version: { ...count, description: 'of the document, before the change' },
    version: { ...count, description: 'of the document, after the change' },
    changed: flag('whether it says something else now'),
    supported: listOf('attributions that verified evidence supports', supported),
    declared: listOf('attributions that nothing supports', declared),
    unmatched: listOf('changed files that belong to no component', path),
    losses: listOf('what the document no longer says', sbomLoss),
    notes: listOf('what readers should know besides', string('a sentence')),
    runs: listOf('the runs that were verified', run),
    refused: listOf(
      'bundles that do not count',
      having('one of them', {
        bundle: string('its file or address'),
        code: issue.properties.code,
        message: issue.properties.message,
      }),
    ),
    refused_paths: listOf('names in the evidence that are no paths of a repository', string('as it stands there')),
  },
  { out: string('path of the document that was written; absent for standard output') },
);
export type SbomAttributeResult = ResultOf<typeof sbomAttributeResult>;
