import {
  alsoHaving,
  count,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { bomDiff, licenceDecision, licenceOffence, sbomLoss, WRITTEN_PROFILES } from '@colophon/sbom/result';

const file = string('path of the document that was read');
const out = string('path of the document that was written; absent for standard output');
const notes = listOf('what readers should know besides', string('a sentence'));
const spec_version = string('of CycloneDX');
const version = { ...count, description: 'of the document, after the change' } as const;
const previous_version = { ...count, description: 'of the document, before the change' } as const;
const serial_number = string('of the document: urn:uuid:…');

/** `colophon sbom create`. */
export const sbomCreateResult = resultOf(
  'the SBOM that was made',
  {
    target: string('what it describes: a folder, a lockfile or an image'),
    generator: alsoHaving(having('what made it', { name: string('of the program or library') }), {
      version: string('of the program or library'),
      lockfile: string('that it was made from'),
    }),
    spec_version,
    serial_number,
    generated_at: { ...timestamp, description: 'of its metadata' },
    component: alsoHaving(having('the artifact', { name: string('its name') }), { version: string('its version') }),
    component_count: { ...count, description: 'nested ones too, without the artifact' },
    completions: listOf(
      'what was added to the generator’s document, or could not be',
      having('one of them', { code: string('completion.…'), message: string('for people') }),
    ),
    notes,
  },
  { out },
);
export type SbomCreateResult = ResultOf<typeof sbomCreateResult>;

/** `colophon sbom patch`. */
export const sbomPatchResult = resultOf(
  'what was changed in a document',
  {
    file,
    changed: flag('whether it says something else now'),
    previous_version,
    version,
    changed_component_count: { ...count, description: 'components that --component changed' },
    notes,
  },
  { out, serial_number },
);
export type SbomPatchResult = ResultOf<typeof sbomPatchResult>;

const comparedFile = alsoHaving(having('one of the two documents', { file }), {
  serial_number,
  version: { ...count, description: 'of the document' },
});

/** `colophon sbom diff`. Not `ok` where they differ and --exit-code was given. */
export const sbomDiffResult = resultOf('what two documents say differently', {
  before: comparedFile,
  after: comparedFile,
  ...bomDiff.properties,
});
export type SbomDiffResult = ResultOf<typeof sbomDiffResult>;

/** `colophon sbom convert`. */
export const sbomConvertResult = resultOf('the document that was written', {
  file,
  out,
  profile: oneOf('that it was written in', WRITTEN_PROFILES),
  spec_version,
  losses: listOf('what it no longer says', sbomLoss),
  notes,
});
export type SbomConvertResult = ResultOf<typeof sbomConvertResult>;

const placedOffence = alsoHaving(licenceOffence, {
  line: { ...count, description: 'where it stands in the file, from 1' },
  column: { ...count, description: 'where it stands in the line, from 1' },
});
const { offending, contradicting, unknown } = licenceDecision.properties;

/** `colophon sbom licenses`. Not `ok` where a component is refused, or the document breaks its schema. */
export const sbomLicensesResult = resultOf('whether the licences of a document are allowed', {
  file,
  ...licenceDecision.properties,
  offending: { ...offending, items: placedOffence },
  contradicting: { ...contradicting, items: placedOffence },
  unknown: { ...unknown, items: placedOffence },
  valid: flag('whether the document meets its schema: one that breaks it may hide what it holds, and is never allowed'),
});
export type SbomLicensesResult = ResultOf<typeof sbomLicensesResult>;
