import { alsoHaving, flag, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { madeSignature } from '@colophon/sigstore/result';

const { log_entry, digest, certificate_identity } = madeSignature.properties;

/** One signature that was made. */
export const signed = alsoHaving(
  having(madeSignature.description, {
    artifact: string('what it is about: a file, an image, a commit'),
    log_entry,
  }),
  {
    digest,
    bundle: string('file of the bundle; absent where it is attached to an image'),
    certificate_identity,
  },
);
export type Signed = ResultOf<typeof signed>;

/** `colophon sign-blob`, `attest-blob`, `sign`, `attest`, `review withdraw`. */
export const signedResult = resultOf('what was signed', {
  signatures: listOf('one for each log entry: an image in two formats has two', signed),
});
export type SignedResult = ResultOf<typeof signedResult>;

/** `colophon review approve`, `review reject`. */
export const reviewedResult = resultOf(
  'what was reviewed and signed',
  {
    ...signedResult.properties,
    target: having('what was reviewed', {
      kind: string('`image`, `file` or `commit`'),
      digest: string('sha256:<64 hex>, or gitCommit:<commit id>'),
    }),
  },
  {
    policies: listOf(
      'of a rejection: the policies of the configuration, of an image those that cover it',
      having('a policy', {
        file: string('its file'),
        policy: string('its name'),
        hears: flag('whether it names whoever rejects, in whatever spelling, so that the rejection counts'),
      }),
    ),
    platforms: listOf(
      'manifests of the index that were approved too, with --platforms',
      having('a manifest', { digest: string('sha256:<64 hex>'), platform: string('<os>/<architecture>[/<variant>]') }),
    ),
  },
);
export type ReviewedResult = ResultOf<typeof reviewedResult>;
