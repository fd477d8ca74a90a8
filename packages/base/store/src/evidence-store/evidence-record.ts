/**
 * What kind of signed thing an entry is. A `review` is signed by its reviewer; a `review-claim` says that somebody
 * reviewed, and is signed by somebody else.
 */
export const EVIDENCE_KINDS = ['signature', 'run', 'review', 'review-claim', 'attestation'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** The columns of an agent-run statement; times in milliseconds since the epoch. */
export type RunColumns = {
  readonly agent_name: string;
  readonly agent_version: string;
  readonly model_id: string;
  readonly model_provider: string;
  readonly model_temperature?: number;
  readonly model_max_tokens?: number;
  readonly prompt_hash: string;
  readonly context_token_count?: number;
  readonly pack_hash: string;
  readonly rules_evaluated?: number;
  readonly rules_violated?: number;
  readonly reviewer?: string;
  readonly reviewed_at?: number;
  readonly review_duration_seconds?: number;
  readonly approved?: boolean;
  readonly commit_sha: string;
  readonly lines_added?: number;
  readonly lines_removed?: number;
  /** The model that was asked for, where a witness saw it, and whether another one answered. */
  readonly model_requested?: string;
  readonly model_substituted?: boolean;
  /** `sha256:<hex>` of the receipt that the run names. */
  readonly receipt_hash?: string;
};

/** The columns of an agent-review statement, whoever signed it; times in milliseconds since the epoch. */
export type ReviewColumns = {
  readonly human_reviewer: string;
  readonly review_timestamp?: number;
  readonly decision?: string;
  readonly repo?: string;
  readonly commit_sha?: string;
  readonly review_duration_seconds?: number;
};

/** One verified signature with all that questions may be asked about. */
export type NewEvidence = {
  /** SHA-256 of the bundle's bytes; the same bundle is stored once. */
  readonly bundle_sha256: Uint8Array;
  /** The bundle as it was handed in, byte for byte. */
  readonly bundle: Uint8Array;
  readonly kind: EvidenceKind;
  readonly predicate_type?: string;
  readonly issuer: string;
  /** The certificate identity. */
  readonly subject: string;
  readonly trigger?: string;
  readonly jti?: string;
  readonly log_id: string;
  readonly log_index: number;
  readonly integrated_at: number;
  readonly imported_at: number;
  /** JSON of the certificate identity. */
  readonly identity: string;
  /** JSON of the statement. */
  readonly statement?: string;
  readonly run?: RunColumns;
  readonly review?: ReviewColumns;
  readonly claims: ReadonlyArray<{ readonly claim: string; readonly value?: string; readonly source?: string }>;
  /** Lower-case hex. */
  readonly artifacts: ReadonlyArray<{ readonly sha256: string; readonly name?: string }>;
  /** Full commit ids. */
  readonly commits: readonly string[];
};

/** An entry as a question finds it. */
export type EvidenceEntry = {
  readonly bundle_sha256: Uint8Array;
  readonly kind: EvidenceKind;
  readonly predicate_type: string | null;
  readonly log_id: string;
  readonly log_index: number;
  readonly integrated_at: number;
  readonly identity: string;
  readonly statement: string | null;
};

/** An artifact that statements or signatures are about. */
export type EvidenceArtifact = {
  readonly sha256: string;
  readonly name: string | null;
  readonly first_at: number;
  readonly last_at: number;
  readonly entries: number;
};

/** A commit that statements are about. */
export type EvidenceCommit = {
  readonly commit_sha: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly entries: number;
};

/** A witness's receipt of a run, verified, with the models that answered. */
export type NewReceipt = {
  /** `sha256:<hex>` of its payload. */
  readonly receipt_hash: string;
  readonly run_id: string;
  /** As the operator calls it, and what its word is worth. */
  readonly witness: string;
  readonly place: string;
  readonly agent_name: string;
  readonly agent_version: string;
  readonly prompt_hash: string;
  readonly pack_hash: string;
  /** The one model that stands for the run; absent where none does. */
  readonly main_model?: string;
  readonly imported_at: number;
  /** As it was handed in. */
  readonly envelope: Uint8Array;
  readonly models: ReadonlyArray<{
    readonly upstream: string;
    readonly requested?: string;
    readonly served: string;
    readonly substituted?: boolean;
    readonly answers: number;
    readonly output_tokens?: number;
  }>;
};

/** Lists of an image of a decision, each entry of which a question may name. */
export const DECISION_LISTS = ['reason', 'policy', 'agent', 'reviewer'] as const;
export type DecisionList = (typeof DECISION_LISTS)[number];

/** What an admission webhook decided about one request, in its own word; times in milliseconds since the epoch. */
export type NewDecision = {
  /** Of the request; with `webhook` what no two decisions have in common. */
  readonly request_uid: string;
  readonly webhook: string;
  readonly time: number;
  readonly operation: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly owner?: string;
  readonly user?: string;
  readonly mode: string;
  readonly admitted: boolean;
  readonly enforced: boolean;
  readonly imported_at: number;
  /** JSON of the record without its images. */
  readonly request: string;
  readonly images: readonly DecidedImageColumns[];
};

/** One image of a decision. */
export type DecidedImageColumns = {
  readonly place: string;
  readonly image: string;
  readonly digest?: string;
  readonly image_admitted: boolean;
  readonly exception_owner?: string;
  readonly exception_until?: number;
  readonly valid_until?: number;
  readonly cached: boolean;
  /** JSON of the image in the record. */
  readonly detail: string;
  readonly lists: { readonly [list in DecisionList]: readonly string[] };
};

/** One image of a decision as a question finds it; of a decision about no image, what stands for it. */
export type EvidenceDecision = {
  readonly request: string;
  readonly detail: string | null;
};
