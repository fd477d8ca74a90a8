import {
  type BuildProvenance,
  type BuildSource,
  buildSources,
  type CertificateIdentity,
  isAgentIdentity,
  parseBuildProvenance,
  repositoriesAgree,
  reviewerOf,
  SLSA_PROVENANCE_TYPE,
} from '@colophon/records';
import { isRunType } from '../meaning/meaning.ts';
import type { Policy, ProvenanceRule } from '../policy/policy.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { type Attestation, claimOf, type ImageEvidence, isAttestation } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';

/** A build of the image by the runner that the policy names, and what it was built from. */
export type Build = { readonly attestation: Attestation; readonly source: BuildSource };

/** The builds of the image that count, or why there is none. */
export type Builds = { readonly accepted: readonly Build[]; readonly findings: readonly Finding[] };

/**
 * Finds provenance of the image by the build runner that a policy names; one is enough. Neither who is reviewed nor who
 * reviews says from what the image was built.
 * @see contract §5.4; SLSA 1.0 provenance
 */
export function findBuilds(policy: Policy, rule: ProvenanceRule, evidence: ImageEvidence): Builds {
  const found = evidence.attestations.filter(({ statement }) => statement.predicateType === SLSA_PROVENANCE_TYPE);
  if (found.length === 0) return { accepted: [], findings: [explainAbsence(evidence)] };
  const judged = found.map((attestation): Builds => {
    const signer = checkSigner(policy, rule, attestation.certificate_identity);
    // What a stranger says of a build is not read.
    return signer === undefined ? judge(rule, attestation) : { accepted: [], findings: [signer] };
  });
  const accepted = judged.flatMap((one) => one.accepted);
  return { accepted, findings: accepted.length > 0 ? [] : judged.flatMap(({ findings }) => findings) };
}

function checkSigner(policy: Policy, rule: ProvenanceRule, identity: CertificateIdentity): Finding | undefined {
  const found = shown(`${identity.subject} of ${identity.issuer}`);
  const expected = rule.identity.description;
  if (policy.agent.accepts(identity) || isAgentIdentity(identity)) {
    const message = 'The build provenance is signed by an agent; the build runner must sign it.';
    return { code: 'admission.provenance_signed_by_agent', message, expected, found };
  }
  if (policy.review.identity.accepts(identity) || reviewerOf(identity) !== undefined) {
    const message = 'The build provenance is signed by a reviewer; the build runner must sign it.';
    return { code: 'admission.provenance_signed_by_reviewer', message, expected, found };
  }
  if (rule.identity.accepts(identity)) return undefined;
  const message = 'The policy does not accept the signer of the build provenance.';
  return { code: 'admission.builder_not_accepted', message, expected, found };
}

function judge(rule: ProvenanceRule, attestation: Attestation): Builds {
  const parsed = parseBuildProvenance(attestation.statement.predicate);
  if (!parsed.ok) {
    const findings = parsed.issues.map(({ path, message, expected }) => {
      const said = `${path || 'The predicate'} of the build provenance: ${message}`;
      const finding = { code: 'admission.provenance_malformed', message: said } as const;
      return expected === undefined ? finding : { ...finding, expected };
    });
    return { accepted: [], findings };
  }
  const findings = checkBuilder(rule, parsed.value);
  const source = sourceOf(rule, parsed.value);
  if ('code' in source) return { accepted: [], findings: [...findings, source] };
  findings.push(...checkCertificate(attestation, source));
  return { accepted: findings.length > 0 ? [] : [{ attestation, source }], findings };
}

function checkBuilder({ builderId }: ProvenanceRule, { runDetails }: BuildProvenance): Finding[] {
  const { id } = runDetails.builder;
  if (builderId === undefined || id === builderId) return [];
  const message = 'The build provenance names another builder than the policy.';
  return [{ code: 'admission.builder_id_mismatch', message, expected: shown(builderId), found: shown(id) }];
}

/** The one source of a build. What is fetched from elsewhere is a dependency where the policy names the repository. */
function sourceOf({ sourceRepository }: ProvenanceRule, provenance: BuildProvenance): BuildSource | Finding {
  const all = buildSources(provenance);
  if (all.length === 0) {
    const message = 'The build provenance names no commit among what the build fetched.';
    const expected = 'a gitCommit or gitTree in buildDefinition.resolvedDependencies';
    return { code: 'admission.provenance_source_missing', message, expected };
  }
  // One without an address may be of this repository too.
  const candidates = all.filter(
    ({ repository }) =>
      sourceRepository === undefined || repository === undefined || repositoriesAgree(sourceRepository, repository),
  );
  const names = new Map(candidates.map((source) => [JSON.stringify([source.commit, source.tree]), source]));
  if (names.size > 1) {
    const message = 'The build provenance names several sources, so none of them is the one.';
    const found = shownList(candidates.map(({ commit, tree }) => commit ?? `tree ${tree}`));
    return { code: 'admission.provenance_source_ambiguous', message, expected: 'one commit', found };
  }
  // A name without a host is one on any forge.
  const source = candidates.find(({ repository }) => sourceRepository === undefined || repository?.includes('://'));
  if (source !== undefined) return source;
  const message = 'The image was built from another repository than the one that the policy names.';
  const found = shownList(all.map(({ uri = 'no address' }) => uri));
  return { code: 'admission.provenance_other_repository', message, expected: shown(sourceRepository ?? ''), found };
}

/** A build runner's certificate names repository and commit too, by its platform's word: both have to say one thing. */
function checkCertificate(attestation: Attestation, { repository, commit }: BuildSource): Finding[] {
  const findings: Finding[] = [];
  const contradict = (expected: string, found: string) => {
    const message = 'The build provenance names another source than the certificate that signed it.';
    const finding = { code: 'admission.provenance_contradicts_certificate', message } as const;
    findings.push({ ...finding, expected: shown(expected), found: shown(found) });
  };
  const certified = claimOf(attestation, 'commit_sha');
  if (certified !== undefined && commit !== undefined && certified !== commit) contradict(certified, commit);
  for (const claim of ['repo_uri', 'repo'] as const) {
    const named = claimOf(attestation, claim);
    if (named === undefined || repository === undefined || repositoriesAgree(named, repository)) continue;
    contradict(named, repository);
  }
  return findings;
}

/**
 * The evidence with what agents and reviewers said of the commit or tree that the image was built from, and of no other
 * file or image: provenance ties it to the image.
 */
export function withSourceStatements(evidence: ImageEvidence, builds: readonly Build[], policy: Policy): ImageEvidence {
  const { predicateType: reviewType, runPredicateType: runType } = policy.review;
  const ofSource = evidence.elsewhere.filter(isAttestation).filter(({ statement }) => {
    const { predicateType, subject } = statement;
    if (!isReviewType(predicateType, reviewType) && !isRunType(predicateType, runType)) return false;
    const isOfGit = subject.every(({ digest }) => Object.keys(digest).every((name) => name.startsWith('git')));
    return isOfGit && builds.some(({ source }) => subject.some(({ digest }) => namesSource(digest, source)));
  });
  return { ...evidence, attestations: [...evidence.attestations, ...ofSource] };
}

/** Whether a subject is the commit, or the tree, that an image was built from. */
export function namesSource(digest: Readonly<Record<string, string>>, { commit, tree }: BuildSource): boolean {
  return (commit !== undefined && digest['gitCommit'] === commit) || (tree !== undefined && digest['gitTree'] === tree);
}

function explainAbsence(evidence: ImageEvidence): Finding {
  const expected = SLSA_PROVENANCE_TYPE;
  const rejected = evidence.rejected.filter(({ predicate_type: type }) => type === SLSA_PROVENANCE_TYPE);
  if (rejected.length > 0) {
    const found = shownList(rejected.map(({ code, message }) => `${code}: ${message}`));
    const message = 'Build provenance was found, but it does not verify.';
    return { code: 'admission.provenance_not_verified', message, expected, found };
  }
  const elsewhere = evidence.elsewhere.filter(({ statement }) => statement?.predicateType === SLSA_PROVENANCE_TYPE);
  if (elsewhere.length > 0) {
    const message = 'Build provenance was found, but it does not name this image.';
    const subjects = elsewhere.flatMap(({ statement }) => statement?.subject ?? []);
    const found = shownList(subjects.map(({ digest }) => digest['sha256'] ?? 'no sha256'));
    return { code: 'admission.provenance_other_image', message, expected: `sha256:${evidence.sha256}`, found };
  }
  const message = 'No build provenance was found for the image.';
  return { code: 'admission.provenance_missing', message, expected };
}
