import {
  alsoHaving,
  certificateIdentity,
  count,
  digest,
  fieldBasis,
  having,
  issue,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** An agent run that counts, and whose review. */
export const gatheredRun = alsoHaving(
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
export type GatheredRun = ResultOf<typeof gatheredRun>;

/** A bundle that does not count, and why. */
export const refusedBundle = having('one of them', {
  bundle: string('its file or address'),
  code: issue.properties.code,
  message: issue.properties.message,
});
export type RefusedBundle = ResultOf<typeof refusedBundle>;
