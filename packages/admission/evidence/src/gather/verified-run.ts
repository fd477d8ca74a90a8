import { createHash } from 'node:crypto';
import { type AgentRun, agentRunType, type Statement, typesUnder, type VerifiedSignature } from '@colophon/records';
import type { RunEvidence } from '@colophon/sbom';
import { type IdentityPolicy, type TrustMaterial, verifyBundle } from '@colophon/sigstore';
import { EvidenceClientError } from '../client-error/client-error.ts';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { layOutEvidence } from '../import/evidence-columns.ts';

/** A verified run, and who signed it. */
export type VerifiedRun = RunEvidence & {
  readonly subject: string;
  /** What it is about, by its own statement: commits, and artifacts as `sha256:<hex>`. */
  readonly commits: readonly string[];
  readonly artifacts: readonly string[];
};

/**
 * Verifies the bundle of an agent run here, whatever a server said of it: signature, log, certificate, identity, and
 * that the run does not contradict its certificate.
 * @throws VerificationError; EvidenceClientError `evidence.*`
 */
export function verifyRun(
  bundle: Uint8Array,
  url: string,
  { trust, policy }: { readonly trust: TrustMaterial; readonly policy: IdentityPolicy },
): VerifiedRun {
  const { predicateBase } = trust.namespace;
  const { signature } = verifyBundle({ bundle, trust, policy, predicateType: typesUnder(predicateBase, agentRunType) });
  const { certificate_identity: identity, log_entry: log } = signature;
  return {
    ...consistentRun(signature, predicateBase),
    identity,
    loggedAt: log.integrated_at,
    bundle: `sha256:${createHash('sha256').update(bundle).digest('hex')}`,
    url,
    subject: identity.subject,
  };
}

function consistentRun(
  signature: VerifiedSignature,
  predicateBase: string,
): Pick<VerifiedRun, 'run' | 'commits' | 'artifacts'> {
  let about: ReturnType<typeof layOutEvidence>;
  try {
    about = layOutEvidence(signature, predicateBase);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    throw new EvidenceClientError(error.code, error.message, { issues: error.issues, cause: error, kind: 'mismatch' });
  }
  const run = (signature.statement as Statement).predicate as AgentRun;
  return { run, commits: about.commits, artifacts: about.artifacts.map(({ sha256 }) => `sha256:${sha256}`) };
}
