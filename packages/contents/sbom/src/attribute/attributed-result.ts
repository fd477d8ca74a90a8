import {
  alsoHaving,
  count,
  digest,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  string,
} from '@colophon/records/result';
import { attribution } from '../attribution/attribution-result.ts';
import { sbomLoss } from '../profile/loss-result.ts';

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

/** What attributing did to a document. */
export const attributedBom = having('what attributing did to a document', {
  spec_version: string('of CycloneDX'),
  previous_version: { ...count, description: 'of the document, before the change' },
  version: { ...count, description: 'of the document, after the change' },
  changed: flag('whether it says something else now'),
  supported: listOf('attributions that verified evidence supports', supported),
  declared: listOf('attributions that nothing supports', declared),
  unmatched: listOf('changed files that belong to no component', path),
  losses: listOf('what the document no longer says', sbomLoss),
  notes: listOf('what readers should know besides', string('a sentence')),
  refused_paths: listOf('names in the evidence that are no paths of a repository', string('as it stands there')),
});
export type AttributedResult = ResultOf<typeof attributedBom>;
