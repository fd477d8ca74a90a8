import { createHash } from 'node:crypto';
import { type AdmissionInput, type NegativesView, type Policy, parsePolicy } from '@colophon/admission';
import { agentReviewType, agentRunType, type CertificateIdentity, type VerifiedSignature } from '@colophon/records';

const ISSUER = 'https://agents.acme.example';
const CI = 'https://token.actions.githubusercontent.com';
const REPOSITORY = 'https://github.com/acme/webshop';
const WORKFLOW = `${REPOSITORY}/.github/workflows/build.yml@refs/heads/main`;
const AGENT = 'agent:code-writer';
const REVIEWER = 'alice@acme.example';
const COMMIT = '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const PROMPT = `sha256:${'c'.repeat(64)}`;
const PACK = `sha256:${'d'.repeat(64)}`;
const MODEL = { id: 'claude-sonnet-4-5-20250929', provider: 'anthropic' };
const SIGNED_AT = '2026-11-21T10:00:00Z';
const NOW = '2026-11-21T12:00:00Z';
const LIST = { from: `${ISSUER}/negatives`, signer: { issuer: ISSUER, subject: 'evidence:agents.acme.example' } };

const CLAIMS = {
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: MODEL.id,
  model_provider: MODEL.provider,
  prompt_hash: PROMPT,
  policy_pack_hash: PACK,
  human_reviewer: REVIEWER,
  commit_sha: COMMIT,
  repo: 'acme/webshop',
  repo_uri: REPOSITORY,
};
const SOURCES = { commit_sha: 'caller-token', human_reviewer: 'review-event', model_id: 'witness-isolated' } as const;

function identity(issuer: string, subject: string, more: Partial<CertificateIdentity> = {}): CertificateIdentity {
  return { issuer, subject, claims: {}, sources: {}, ...more };
}

let logIndex = 0;
/** Certified and logged at one time. */
function signature(by: CertificateIdentity, more: Partial<VerifiedSignature>): VerifiedSignature {
  logIndex += 1;
  const log_entry = { log_index: logIndex, log_id: 'c'.repeat(64), integrated_at: SIGNED_AT };
  return { certificate_identity: by, format: 'bundle', certified_at: SIGNED_AT, log_entry, ...more };
}

function attestation(by: CertificateIdentity, predicateType: string, predicate: unknown): VerifiedSignature {
  const subject = [{ name: 'webshop', digest: { sha256: DIGEST.slice('sha256:'.length) } }];
  return signature(by, {
    statement: { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate },
  });
}

const RUN = {
  agent: { name: CLAIMS.agent_name, version: CLAIMS.agent_version },
  model: { ...MODEL, requested: 'claude-sonnet-4-5', temperature: 0.2, max_tokens: 8192 },
  input: { prompt_hash: PROMPT, context_files: ['src/cart.ts', 'src/checkout.ts'], context_token_count: 18_250 },
  policy: { pack_hash: PACK, rules_evaluated: 12, rules_violated: 0 },
  tools_invoked: [{ name: 'bash', count: 14, exit_code: 0 }],
  git: { commit_sha: COMMIT, repo: 'acme/webshop', files_changed: ['src/cart.ts'], lines_added: 40, lines_removed: 7 },
};

const REVIEW = {
  human_reviewer: REVIEWER,
  review_timestamp: '2026-11-21T09:58:00Z',
  review_duration_seconds: 900,
  decision: 'approved',
  commit_sha: COMMIT,
};

const PROVENANCE = {
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: { workflow: { ref: 'refs/heads/main', repository: REPOSITORY } },
    resolvedDependencies: [{ uri: `git+${REPOSITORY}@refs/heads/main`, digest: { gitCommit: COMMIT } }],
  },
  runDetails: { builder: { id: WORKFLOW } },
};

const scanType = (scan: string) => `https://acme.example/${scan}/v1`;
const workflow = (name: string) => `${REPOSITORY}/.github/workflows/${name}.yml@refs/heads/main`;
const SCANS = ['sbom', 'licences', 'vulnerabilities', 'secrets', 'malware'];

/** What a well kept image has: the agent's signature and run, a review, a build, and five signatures of others. */
function imageEvidence(): readonly VerifiedSignature[] {
  const agent = identity(ISSUER, AGENT, { claims: CLAIMS, sources: SOURCES });
  const reviewer = identity(ISSUER, `reviewer:${REVIEWER}`, {
    claims: { human_reviewer: REVIEWER, commit_sha: COMMIT },
    sources: { human_reviewer: 'review-event' },
  });
  const builder = identity(CI, WORKFLOW, {
    claims: { repo: 'acme/webshop', repo_uri: REPOSITORY, commit_sha: COMMIT },
  });
  return [
    signature(agent, { artifact_digest: DIGEST }),
    attestation(agent, agentRunType(), RUN),
    attestation(reviewer, agentReviewType(), REVIEW),
    attestation(builder, 'https://slsa.dev/provenance/v1', PROVENANCE),
    ...SCANS.map((scan) =>
      attestation(identity(CI, workflow(scan)), scanType(scan), {
        result: 'passed',
        findings: [],
      }),
    ),
  ];
}

/** A policy with every key that a policy for agents has, beside ten that cover other images. */
function policies(): readonly Policy[] {
  const own = `version: 1
name: webshop production
images: [ghcr.io/acme/webshop/**, "ghcr.io/acme/base:v*"]
agent: { issuer: "${ISSUER}", subjectRegExp: "agent:code-(writer|fixer)", maxAge: 90d }
models: [{ id: "claude-sonnet-*", provider: anthropic }]
modelAsRequested: true
policyPacks: [{ name: default, hash: "${PACK}" }]
review:
  issuer: ${ISSUER}
  subjectRegExp: reviewer:[a-z.]+@acme\\.example
  maxAge: 30d
  minDurationSeconds: 60
  conditions:
    - predicate.decision == "approved"
    - predicate.human_reviewer.fullMatch("[a-z.]+@acme\\\\.example")
  mayWithdraw: [{ issuer: "${ISSUER}", subject: reviewer:security-lead@acme.example }]
sources: { commit_sha: [caller-token], human_reviewer: [review-event, caller-token] }
require:
  - { issuer: "${CI}", subject: "${workflow('sbom')}", predicateType: "${scanType('sbom')}" }
  - { issuer: "${CI}", subject: "${workflow('vulnerabilities')}", predicateType: "${scanType('vulnerabilities')}" }
provenance: { issuer: "${CI}", subject: "${WORKFLOW}", sourceRepository: "${REPOSITORY}", builderId: "${WORKFLOW}" }
negatives: ${JSON.stringify(LIST)}
exceptions:
  - { digest: "sha256:${'e'.repeat(64)}", owner: platform team, reason: hotfix, from: ${NOW}, until: 2026-11-22T00:00:00Z }
signatureFormat: bundle
`;
  const others = Array.from(
    { length: 10 },
    (_, index) => `version: 1
name: team ${index}
images: [ghcr.io/acme/team-${index}/**]
agent: { issuer: "${ISSUER}", subject: ${AGENT} }
`,
  );
  return [own, ...others].map((text) => {
    const parsed = parsePolicy(text);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.value;
  });
}

/** A list of other images' rejections. */
function negatives(rejected: number): NegativesView {
  const hex = (text: string) => createHash('sha256').update(text).digest('hex');
  const rejections = Array.from({ length: rejected }, (_, index) => {
    const address = `reviewer-${index % 20}@acme.example`;
    const subject = `reviewer:${address}`;
    return {
      person: { address, issuer: ISSUER },
      subject,
      integrated_at: SIGNED_AT,
      certified_at: SIGNED_AT,
      images: [`sha256:${hex(`image ${index}`)}`],
      commits: [hex(`commit ${index}`).slice(0, 40)],
      id: hex(`bundle ${index}`),
      content: hex(`content ${index}`),
      certificate_identity: identity(ISSUER, subject, { claims: { human_reviewer: address } }),
    };
  });
  const list = { from: LIST.from, sequence: 7, time: '2026-11-21T11:55:00Z', rejections, withdrawals: [] };
  return { kind: 'list', list };
}

/** Everything that one decision is made from; the list names `rejected` other images. */
export function admissionInput(rejected: number): AdmissionInput {
  const view = negatives(rejected);
  return {
    image: { reference: `ghcr.io/acme/webshop/cart:v1@${DIGEST}`, digest: DIGEST },
    signatures: imageEvidence(),
    rejected: [],
    policies: policies(),
    negatives: () => view,
    nowSeconds: Date.parse(NOW) / 1000,
  };
}
