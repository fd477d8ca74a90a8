import { MEANINGS } from '@colophon/admission/meaning';
import type { Statement } from '@colophon/records';
import {
  alsoHaving,
  digest,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';
import { rejectedSignature, verifiedSignature } from '@colophon/sigstore/result';

const { basis, checks, ...ofSome } = verifiedSignature.properties;
const rule = string('the rule of --require that it meets');
const facts = {
  artifact: string('the file, the image or the digest that it is about'),
  trusted_root: string('file of the trusted root, or of the key where no log was looked at'),
  basis,
  checks,
} as const;
const ofStatement = {
  ...ofSome,
  meaning: oneOf(
    'what the statement says; descriptive: its type cannot say no; unclear: no type that we know',
    MEANINGS,
  ),
} as const;

/** `colophon verify-blob`, `verify-blob-attestation`: what was checked of one signature. */
export const verifiedResult = resultOf('one signature that verified', facts, ofStatement);
export type VerifiedResult = ResultOf<typeof verifiedResult> & {
  readonly statement?: Statement;
  readonly rule?: string;
};

const oneOfSeveral = alsoHaving(having(verifiedSignature.description, { ok: flag('true: it verified'), ...facts }), {
  ...ofStatement,
  rule,
});

/** `colophon verify-blob`: the same, and with `--require` the signatures that meet the other rules. */
export const verifiedBlobResult = resultOf(
  'the signature that verified; with --require the one that meets the first rule',
  facts,
  {
    ...ofStatement,
    rule,
    further_signatures: listOf('with --require: those that meet the other rules, in their order', oneOfSeveral),
  },
);
export type VerifiedBlobResult = VerifiedResult & { readonly further_signatures?: readonly VerifiedResult[] };

/** `colophon verify`, `verify-attestation`: what counts of all that is attached to an image. */
export const verifiedImageResult = resultOf('the signatures of an image that verified', {
  image: string('as it was asked for'),
  digest,
  signatures: listOf('those that count; with --require one for each rule, in their order', oneOfSeveral),
  rejected_signatures: listOf('those that were found and do not count', rejectedSignature),
});
export type VerifiedImageResult = Omit<ResultOf<typeof verifiedImageResult>, 'signatures'> & {
  readonly signatures: readonly VerifiedResult[];
};
