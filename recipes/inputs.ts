/** What a job can ask `colophon.sh` to do. */
export const COMMANDS = ['install', 'sign', 'attest', 'check', 'admit', 'sbom'] as const;
export type Command = (typeof COMMANDS)[number];

/** An input of the recipes, on both platforms: its name is also that of the program's flag where there is one. */
export type RecipeInput = {
  readonly name: string;
  readonly commands: readonly Command[];
  readonly description: string;
  /** One entry a line. */
  readonly isList?: boolean;
  /** GitLab replaces CI/CD variables such as `$CI_COMMIT_SHA` in it. Elsewhere `$` stays, as in a pattern. */
  readonly hasVariables?: boolean;
};

const SIGNING = ['sign', 'attest', 'sbom'] as const satisfies Command[];
const CHECKING = ['check', 'sbom'] as const satisfies Command[];

/** Every input but the command itself. */
export const INPUTS: readonly RecipeInput[] = [
  { name: 'source', commands: ['install'], description: 'URL or path of the npm tarball or of the executable' },
  { name: 'version', commands: ['install'], description: 'exact version that the program must state' },
  { name: 'sha256', commands: ['install'], description: 'SHA-256 of the source, as 64 hexadecimal digits' },
  {
    name: 'files',
    commands: ['sign', 'attest', 'check'],
    description: 'files, one a line',
    isList: true,
    hasVariables: true,
  },
  {
    name: 'images',
    commands: ['sign', 'attest', 'check', 'admit'],
    description: 'images, one a line, each by its digest: registry/name@sha256:…',
    isList: true,
    hasVariables: true,
  },
  {
    name: 'issuer',
    commands: ['sign', 'attest', 'admit', 'sbom'],
    description: 'issuer of identity tokens; for admit, the server with the list of standing rejections',
    hasVariables: true,
  },
  {
    name: 'signing-config',
    commands: SIGNING,
    description: 'file with the certificate authority and the log to use',
  },
  {
    name: 'trusted-root',
    commands: ['sign', 'attest', 'check', 'admit', 'sbom'],
    description: 'file with the keys and certificates to trust',
  },
  {
    name: 'context',
    commands: SIGNING,
    description: 'JSON file with the token request; the inputs from agent-name to commit-sha win over it',
  },
  { name: 'agent-name', commands: SIGNING, description: 'name of the agent' },
  { name: 'agent-version', commands: SIGNING, description: 'version of the agent' },
  { name: 'model-id', commands: SIGNING, description: "model identifier, from the provider's response" },
  { name: 'model-provider', commands: SIGNING, description: 'provider of the model' },
  { name: 'prompt', commands: SIGNING, description: 'file with the exact prompt, hashed in the job and never sent' },
  { name: 'prompt-hash', commands: SIGNING, description: 'SHA-256 of the prompt, instead of the file' },
  {
    name: 'policy-pack',
    commands: SIGNING,
    description: 'files of the policy pack, one a line, hashed in the job and never sent',
    isList: true,
  },
  { name: 'policy-pack-hash', commands: SIGNING, description: 'SHA-256 of the policy pack, instead of its files' },
  { name: 'human-reviewer', commands: SIGNING, description: 'e-mail address of who reviewed' },
  { name: 'review-timestamp', commands: SIGNING, description: 'when, RFC 3339 in UTC' },
  { name: 'repo', commands: SIGNING, description: 'repository, as org/repo', hasVariables: true },
  { name: 'commit-sha', commands: SIGNING, description: 'commit that the agent worked on', hasVariables: true },
  {
    name: 'type',
    commands: ['attest', 'check'],
    description: 'predicate type; attest: agent-run if empty; check: the signature instead of an attestation if empty',
  },
  {
    name: 'predicate',
    commands: ['attest'],
    description: 'JSON file with the predicate; for agent-run only what the context does not say',
  },
  { name: 'certificate-identity', commands: CHECKING, description: 'exact subject of the signer: agent:code-writer' },
  {
    name: 'certificate-identity-regexp',
    commands: CHECKING,
    description: 'RE2 pattern of the whole subject, instead of the exact one',
  },
  { name: 'certificate-oidc-issuer', commands: CHECKING, description: "exact issuer in the signer's certificate" },
  {
    name: 'certificate-oidc-issuer-regexp',
    commands: CHECKING,
    description: 'RE2 pattern of the whole issuer, instead of the exact one',
  },
  {
    name: 'certificate-github-workflow-repository',
    commands: CHECKING,
    description: 'repository that the certificate must name',
  },
  {
    name: 'certificate-github-workflow-sha',
    commands: CHECKING,
    description: 'commit that the certificate must name',
    hasVariables: true,
  },
  {
    name: 'policy',
    commands: ['admit'],
    description: 'policy files, one a line; each one that covers an image must admit it',
    isList: true,
  },
  { name: 'sbom', commands: ['sbom'], description: 'file of the document; written if there is a target' },
  { name: 'sbom-target', commands: ['sbom'], description: 'folder, lockfile or image to make the document of' },
  { name: 'generator', commands: ['sbom'], description: 'what makes it; the first installed one that fits if empty' },
  { name: 'component-name', commands: ['sbom'], description: 'name of the artifact that the document describes' },
  {
    name: 'component-version',
    commands: ['sbom'],
    description: 'version of the artifact that the document describes',
    hasVariables: true,
  },
  { name: 'supplier-name', commands: ['sbom'], description: 'name of the supplier of the artifact' },
  { name: 'supplier-url', commands: ['sbom'], description: 'address of the supplier' },
  { name: 'fail-on', commands: ['sbom'], description: 'error or warning: what makes the document invalid' },
  {
    name: 'sarif',
    commands: ['sbom'],
    description: 'file for the result of the validation, as code scanning takes it',
  },
  {
    name: 'allow-licences',
    commands: ['sbom'],
    description: 'allowed licences: a file, or SPDX ids with commas between',
  },
  { name: 'deny-licences', commands: ['sbom'], description: 'refused licences, even if allowed: likewise' },
  {
    name: 'publish-to',
    commands: ['sbom'],
    description: 'folder, s3://bucket/prefix or https://host/path; if empty, nothing is published',
  },
];

/** What a job gives to later ones: `verdict` on GitHub, `COLOPHON_VERDICT` on GitLab. */
export const OUTPUTS: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'verdict',
    description:
      'installed, signed, attested, verified, admitted, valid or published; refused (exit code 20) or failed',
  },
  { name: 'exit-code', description: 'exit code of the program' },
  { name: 'bundles', description: 'bundles that were written, one a line' },
  { name: 'digests', description: 'digests of all that passed, one a line, as sha256:…' },
  { name: 'sbom', description: 'file of the document' },
];

/** The environment variable through which an input reaches `colophon.sh`. */
export function variableOf(name: string): string {
  return `COLOPHON_INPUT_${name.toUpperCase().replaceAll('-', '_')}`;
}
