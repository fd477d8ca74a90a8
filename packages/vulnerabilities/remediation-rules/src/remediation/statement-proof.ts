import { statedVersion } from '@colophon/findings';
import type { RemediationRecord } from '@colophon/records';
import {
  compareTimes,
  isDraft,
  matchStatements,
  transitionIssues,
  type VexDocument,
  type VexStatement,
} from '@colophon/vex';
import type { Actor, RecordPatch } from './record-history.ts';
import { componentOf } from './record-index.ts';
import { type RemediationIssue, remediationIssue } from './remediation-issue.ts';
import type { RemediationPolicy } from './remediation-policy.ts';

/** A signature that was verified, and over which bytes. */
export type VerifiedSignatureOfStatement = {
  /** `sha256:<hex>` of the signed bytes. */
  readonly digest: string;
  readonly signer: string;
  /** Every name under which a policy may know the signer: subject, fingerprint. */
  readonly names: readonly string[];
  readonly isPerson: boolean;
};

/** A VEX document and the signature over its very bytes. */
export type StatementProof = {
  readonly kind: 'statement';
  readonly document: VexDocument;
  /** `sha256:<hex>` of the document's bytes. */
  readonly digest: string;
  /** What a statement may call the product, beside its name: package URLs, digests. */
  readonly products: readonly string[];
  readonly signature?: VerifiedSignatureOfStatement;
};

type Context = Actor & { readonly policy: RemediationPolicy };

/**
 * Every condition of `not_affected` that is not met: the statement that counts says so of every version that was seen,
 * with a justification, and somebody who may say it has signed exactly these bytes.
 */
export function* statementIssues(
  record: RemediationRecord,
  proof: StatementProof,
  context: Context,
): Generator<RemediationIssue> {
  const { decisions, unmatched } = matchRecord(record, proof, context);
  const silent = decisions.filter(({ statement }) => statement === undefined);
  const isSignerRefused = unmatched.some(({ code }) => code === 'vex.unmatched_author');
  if (silent.length > 0 && !isSignerRefused) {
    const versions = silent.flatMap(({ finding }) => statedVersion(finding.component) ?? []).join(', ');
    yield remediationIssue(
      'remediation.statement_missing',
      `nothing is stated about ${record.cve} in ${record.component}`,
      {
        expected: `a statement on ${record.cve} whose product is ${componentOf(record).purl ?? record.component}${versions && `, in version ${versions}`}`,
        found:
          unmatched.length === 0 ? 'no statement' : [...new Set(unmatched.map(({ code }) => code))].sort().join(', '),
        next: 'colophon vex apply, which says of each statement what it matches',
      },
    );
  }
  for (const statement of new Set(decisions.flatMap((decision) => decision.statement ?? []))) {
    yield* contentIssues(record, statement);
  }
  if (silent.length === 0)
    yield* changeIssues(
      record,
      decisions.map(({ statement }) => statement!),
    );
  yield* signatureIssues(record, proof, context, isSignerRefused);
}

/** A record that says `affected` is put under investigation before it says the opposite. */
function* changeIssues(
  { vex_status }: RemediationRecord,
  statements: readonly VexStatement[],
): Generator<RemediationIssue> {
  const justified = statements.find(
    ({ status, justification }) => status === 'not_affected' && justification !== undefined,
  );
  if (justified === undefined) return;
  const { justification } = justified;
  for (const issue of transitionIssues(vex_status, 'not_affected', { justification })) {
    const next = 'colophon remediation update --status under_investigation --reason TEXT';
    yield { ...issue, path: '/vex_status', next };
  }
}

function* contentIssues({ cve, history }: RemediationRecord, statement: VexStatement): Generator<RemediationIssue> {
  if (isDraft(statement)) {
    yield remediationIssue('remediation.statement_draft', `the statement on ${cve} is a draft`, {
      expected: 'a statement that a person has taken over',
      found: statement.status_notes ?? '',
      next: 'colophon vex set, and then colophon vex sign',
    });
  } else if (statement.status !== 'not_affected') {
    yield remediationIssue(
      'remediation.statement_not_counting',
      `the statement on ${cve} that counts says something else`,
      {
        expected: 'not_affected',
        found: `${statement.status} (${statement.timestamp})`,
      },
    );
  } else if (statement.justification === undefined) {
    yield remediationIssue('remediation.justification_missing', `the statement on ${cve} does not say why`, {
      expected: 'a justification of the list in contract §2.6',
    });
  } else yield* outdatedIssues(history, statement);
}

/** Of two who speak of the same the later one counts, and a document does not know what the record said meanwhile. */
function* outdatedIssues(
  history: RemediationRecord['history'],
  { timestamp, last_updated = timestamp }: VexStatement,
): Generator<RemediationIssue> {
  const refuted = history.findLast(({ changes }) => changes['vex_status']?.[1] === 'affected');
  if (refuted === undefined) return;
  // Documents may be dated to the second, records are to the millisecond.
  if (compareTimes(last_updated, refuted.at.replace(/\.\d+/, '')) >= 0) return;
  yield remediationIssue('remediation.statement_outdated', 'the record was said to be affected after the statement', {
    expected: `a statement of ${refuted.at} or later`,
    found: last_updated,
    next: 'colophon vex set, and then colophon vex sign',
  });
}

function* signatureIssues(
  { product }: RemediationRecord,
  { signature, digest }: StatementProof,
  { policy }: Context,
  isSignerRefused: boolean,
): Generator<RemediationIssue> {
  if (signature === undefined) {
    yield remediationIssue('remediation.signature_missing', 'the VEX document is not signed', {
      expected: 'a detached signature or a bundle over it',
      next: 'colophon vex sign',
    });
    return;
  }
  if (signature.digest !== digest) {
    yield remediationIssue(
      'remediation.signature_of_other_bytes',
      'the signature is over other bytes than the document',
      {
        expected: digest,
        found: signature.digest,
      },
    );
  }
  if (isSignerRefused) {
    yield remediationIssue(
      'remediation.signer_not_allowed',
      `policy ${policy.name} does not let the signer speak for ${product}`,
      {
        expected: (policy.authors ?? []).flatMap(({ authors }) => authors).join(', '),
        found: signature.names.join(', '),
      },
    );
  } else if (policy.authors === undefined && !signature.isPerson) {
    yield remediationIssue('remediation.signer_not_allowed', 'the signer is no person, and no policy names it', {
      expected: 'a person, or a signer that --remediation-policy names',
      found: signature.signer,
    });
  }
}

/** What is said of the component in each version that was seen. */
function matchRecord(
  record: RemediationRecord,
  { document, products, signature }: StatementProof,
  { at, policy }: Context,
) {
  const { cve: id, aliases } = record;
  const versions = [...new Set(record.sightings.flatMap((sighting) => sighting.versions))];
  const components = versions.length === 0 ? [componentOf(record)] : versions.map((one) => componentOf(record, one));
  return matchStatements(
    components.map((component) => ({ id, aliases, component })),
    [document],
    {
      at,
      products: [record.product, ...products],
      ...(policy.authors === undefined ? {} : { authors: policy.authors }),
      // A document may claim any author; who signed it is known.
      speakers: () => signature?.names ?? [],
    },
  );
}

/** What the record says once the proof holds. */
export function statementPatch(
  record: RemediationRecord,
  proof: StatementProof,
  context: Context,
): RecordPatch & { readonly why: string } {
  const statements = matchRecord(record, proof, context).decisions.map(({ statement }) => statement!);
  const newest = statements.reduce((one, other) => (other.timestamp > one.timestamp ? other : one));
  return {
    vex_status: 'not_affected',
    decision: 'justify',
    resolution: {
      kind: 'statement',
      document: proof.digest,
      justification: newest.justification!,
      stated_at: newest.timestamp,
      signer: proof.signature!.signer,
    },
    why: `${newest.justification}, says ${proof.signature!.signer} in ${proof.digest}`,
  };
}
