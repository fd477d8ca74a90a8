import type { CommandEntry } from '../program/command-table.ts';

/** Every command, in the order in which help shows them: first what a newcomer needs. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    term: 'demo',
    description:
      'run the whole flow on this machine: context, token, certificate, signature, log, admission, SBOM, licence check, vulnerability triage',
    load: async () => (await import('./demo.ts')).defineDemo,
  },
  {
    term: 'up [options]',
    description: 'start issuer, certificate authority, transparency log, evidence store and registry on this machine',
    load: async () => (await import('./up.ts')).defineUp,
  },
  {
    term: 'serve [options]',
    description: "serve a company's issuer as a configuration file says: known callers, their rights, confirmed claims",
    load: async () => (await import('./serve.ts')).defineServe,
  },
  {
    term: 'config',
    description: "the configuration file of 'colophon serve'",
    load: async () => (await import('./config/config.ts')).defineConfig,
  },
  {
    term: 'init [options]',
    description: "write the files for a company's own services: Fulcio's issuers, trusted root, signing config, policy",
    load: async () => (await import('./init.ts')).defineInit,
  },
  {
    term: 'doctor [options]',
    description: 'look at issuer, authority, log and clocks, and say what is wrong and which file to change',
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  {
    term: 'env [options]',
    description: 'print the variables to export: eval "$(colophon env)"',
    load: async () => (await import('./env.ts')).defineEnv,
  },
  {
    term: 'health [options]',
    description: 'check that the server of the data folder answers: exit 0, or 3',
    load: async () => (await import('./health.ts')).defineHealth,
  },
  {
    term: 'token [options]',
    description: "mint one identity token from the run's context and print it",
    load: async () => (await import('./token.ts')).defineToken,
  },
  {
    term: 'run [options] <command...>',
    description: "run an agent's command, observe which models answer it, and write the signed receipt of the run",
    load: async () => (await import('./run.ts')).defineRun,
  },
  {
    term: 'witness',
    description: 'an isolated witness of agent runs, and the public keys of witnesses',
    load: async () => (await import('./witness/witness.ts')).defineWitness,
  },
  {
    term: 'hash',
    description: 'hash a prompt or a policy pack, before the agent starts',
    load: async () => (await import('./hash.ts')).defineHash,
  },
  {
    term: 'import',
    description: "read what an agent's own tool noted about a commit, as a part of the predicate of a run",
    load: async () => (await import('./import/import.ts')).defineImport,
  },
  {
    term: 'generate-key-pair [options]',
    description: 'make a key of your own, in the files that cosign makes',
    load: async () => (await import('./generate-key-pair.ts')).defineGenerateKeyPair,
  },
  {
    term: 'sign-blob [options] <file...>',
    description: 'sign files; the bundle is written beside each',
    load: async () => (await import('./sign-blob.ts')).defineSignBlob,
  },
  {
    term: 'attest-blob [options] [file]',
    description: 'sign a statement about a file',
    load: async () => (await import('./sign-blob.ts')).defineAttestBlob,
  },
  {
    term: 'verify-blob [options] <file-or-digest>',
    description: 'verify the signature over a file, or over sha256:HEX',
    load: async () => (await import('./verify-blob.ts')).defineVerifyBlob,
  },
  {
    term: 'verify-blob-attestation [options] [file]',
    description: 'verify a signed statement about a file',
    load: async () => (await import('./verify-blob.ts')).defineVerifyBlobAttestation,
  },
  {
    term: 'sign [options] <image...>',
    description: 'sign images in a registry, by digest',
    load: async () => (await import('./sign-image.ts')).defineSign,
  },
  {
    term: 'attest [options] <image>',
    description: 'attach a signed statement to an image, by digest',
    load: async () => (await import('./sign-image.ts')).defineAttest,
  },
  {
    term: 'verify [options] <image>',
    description: 'verify that an image is signed; an attestation is no signature; --offline: verify a pack',
    load: async () => (await import('./verify-image.ts')).defineVerify,
  },
  {
    term: 'verify-attestation [options] <image>',
    description: 'verify a signed statement about an image',
    load: async () => (await import('./verify-image.ts')).defineVerifyAttestation,
  },
  {
    term: 'review',
    description: "a reviewer's own signature over an artifact and its commit",
    load: async () => (await import('./review/review.ts')).defineReview,
  },
  {
    term: 'admit [options] [image]',
    description:
      'decide by policy whether an image, or every image of Kubernetes manifests, may run; a refusal ends with exit 20 and lists every reason',
    load: async () => (await import('./admit.ts')).defineAdmit,
  },
  {
    term: 'admission',
    description:
      'policies of admission: what they admit, whether they decide as expected, the same for other controllers, and the webhook that enforces them in a cluster',
    load: async () => (await import('./admission/admission.ts')).defineAdmission,
  },
  {
    term: 'explain [options] <artifact>',
    description: 'say who made an image, a file or a digest, with what, who reviewed it, and what confirms each part',
    load: async () => (await import('./explain.ts')).defineExplain,
  },
  {
    term: 'pack [options] <image>',
    description: 'write everything that explains an image into one file, for colophon verify --offline',
    load: async () => (await import('./pack.ts')).definePack,
  },
  {
    term: 'attachments [options] <image>',
    description: 'list the attachments of an image that verify, copy only those, or add one',
    load: async () => (await import('./attachments.ts')).defineAttachments,
  },
  {
    term: 'log',
    description: 'the transparency log',
    load: async () => (await import('./log/log.ts')).defineLog,
  },
  {
    term: 'query [options] [question]',
    description: "query the evidence store, e.g. 'runs where review.duration < 60s order by review.duration limit 10'",
    load: async () => (await import('./evidence.ts')).defineQuery,
  },
  {
    term: 'evidence',
    description: 'the store of verified statements',
    load: async () => (await import('./evidence.ts')).defineEvidence,
  },
  {
    term: 'inspect [options] <file>',
    description:
      'decode a token, certificate, bundle, log entry, envelope, statement or trusted root (- for standard input)',
    load: async () => (await import('./inspect.ts')).defineInspect,
  },
  {
    term: 'keys',
    description: 'the keys that sign tokens: rotation and emergency',
    load: async () => (await import('./keys/keys.ts')).defineKeys,
  },
  {
    term: 'ledger',
    description: 'the durable record of every token that was issued',
    load: async () => (await import('./ledger/ledger.ts')).defineLedger,
  },
  {
    term: 'callers',
    description: 'who may ask the issuer for tokens: API keys, and revocation',
    load: async () => (await import('./callers/callers.ts')).defineCallers,
  },
  {
    term: 'sbom',
    description: 'make, check, attribute and publish CycloneDX documents',
    load: async () => (await import('./sbom/sbom.ts')).defineSbom,
  },
  {
    term: 'scan',
    description: 'findings of vulnerability scanners: read, merge, score',
    load: async () => (await import('./scan/scan.ts')).defineScan,
  },
  {
    term: 'kev',
    description: 'known-exploited catalogs: fetch, compare, enrich findings',
    load: async () => (await import('./kev/kev.ts')).defineKev,
  },
  {
    term: 'vex',
    description: 'VEX documents: create, validate, convert, sign, apply',
    load: async () => (await import('./vex/vex.ts')).defineVex,
  },
  {
    term: 'remediation',
    description: 'remediation records: one for each vulnerability in a component, from discovery to a proven fix',
    load: async () => (await import('./remediation/remediation.ts')).defineRemediation,
  },
  {
    term: 'report',
    description: 'quarterly reports for auditors',
    load: async () => (await import('./report/report.ts')).defineReport,
  },
  {
    term: 'schedule',
    description: 'recurring jobs: refresh the known-exploited catalog, re-scan published SBOMs',
    load: async () => (await import('./schedule/schedule.ts')).defineSchedule,
  },
  {
    term: 'completion <shell>',
    description: 'print the script that completes commands and flags in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).defineCompletion,
  },
  {
    term: 'notices',
    description: 'print the licences of everything that this program contains',
    load: async () => (await import('./notices.ts')).defineNotices,
  },
];
