/** The layer of every package: a package imports only from layers below its own; `cli` may start `server`. */
export const LAYERS: Readonly<Record<string, number>> = {
  json: 0,
  encoding: 0,
  fault: 0,
  notation: 0,
  records: 0.2,
  merkle: 0.2,
  'policy-file': 0.5,
  issuance: 1,
  admission: 1,
  sbom: 1,
  similarity: 1,
  triage: 1,
  'durable-file': 1.5,
  peer: 1.5,
  store: 2,
  keys: 2,
  sigstore: 2,
  forge: 2,
  feeds: 2,
  grammars: 2,
  openpgp: 2,
  issuer: 3,
  authority: 3,
  evidence: 3,
  remediation: 3,
  gate: 3,
  server: 4,
  cli: 4.5,
};

/** Packages that only tests may import. */
export const DEV_ONLY: readonly string[] = ['testkit'];
