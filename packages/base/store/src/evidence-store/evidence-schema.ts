/**
 * Marks the runs that are approved as a whole. Each subject of the run is approved by its SHA-256, or by the commit of
 * the run. An approval that is older than the run counts for nothing. What follows says which runs are looked at. The plus
 * keeps SQLite from going through all runs that are not reviewed.
 */
export const MARK_REVIEWED_RUNS = `UPDATE evidence_run SET reviewed = 1 WHERE +reviewed = 0 AND (
   SELECT min(EXISTS (SELECT 1 FROM evidence_approval AS approval
     WHERE approval.about IN (
         'sha256:' || json_extract(subject.value, '$.digest.sha256'),
         'gitCommit:' || evidence_run.commit_sha)
       AND approval.last_at >= own.integrated_at))
   FROM evidence_entry AS own, json_each(own.statement, '$.subject') AS subject
   WHERE own.id = evidence_run.entry_id) = 1`;

/** Notes what approvals are about, with the log's time of the newest. What follows says which reviews are looked at. */
export const NOTE_APPROVALS = `INSERT INTO evidence_approval (about, last_at)
   SELECT linked.about, entry.integrated_at FROM evidence_review AS review
     JOIN evidence_entry AS entry ON entry.id = review.entry_id
     JOIN (SELECT entry_id, 'sha256:' || sha256 AS about FROM evidence_artifact_link
       UNION ALL SELECT entry_id, 'gitCommit:' || commit_sha FROM evidence_commit_link) AS linked
       ON linked.entry_id = review.entry_id
     WHERE review.decision = 'approved' `;
export const KEEP_NEWEST_APPROVAL = `ON CONFLICT (about) DO UPDATE SET last_at = max(last_at, excluded.last_at)`;

/**
 * Tables of verified evidence. Times are milliseconds since the epoch. Every column that a question may name has an
 * index of its own, so that the question costs what it finds and not what is stored. Decisions of admission webhooks, which
 * nobody signs, are apart from every entry: a row of evidence_decision is one image. Each of their indexes ends with the
 * time, by which people order what they ask for.
 */
export const EVIDENCE_STEPS: readonly string[] = [
  `CREATE TABLE evidence_entry (
     id INTEGER PRIMARY KEY,
     bundle_sha256 BLOB NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     predicate_type TEXT,
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     "trigger" TEXT,
     jti TEXT,
     log_id TEXT NOT NULL,
     log_index INTEGER NOT NULL,
     integrated_at INTEGER NOT NULL,
     imported_at INTEGER NOT NULL,
     identity TEXT NOT NULL,
     statement TEXT,
     bundle BLOB NOT NULL
   ) STRICT;
   CREATE INDEX evidence_entry_kind ON evidence_entry (kind);
   CREATE INDEX evidence_entry_predicate_type ON evidence_entry (predicate_type);
   CREATE INDEX evidence_entry_issuer ON evidence_entry (issuer);
   CREATE INDEX evidence_entry_subject ON evidence_entry (subject);
   CREATE INDEX evidence_entry_jti ON evidence_entry (jti);
   CREATE INDEX evidence_entry_log_index ON evidence_entry (log_index);
   CREATE INDEX evidence_entry_integrated_at ON evidence_entry (integrated_at);

   CREATE TABLE evidence_run (
     entry_id INTEGER PRIMARY KEY REFERENCES evidence_entry (id),
     agent_name TEXT NOT NULL,
     agent_version TEXT NOT NULL,
     model_id TEXT NOT NULL,
     model_provider TEXT NOT NULL,
     model_temperature REAL,
     model_max_tokens INTEGER,
     prompt_hash TEXT NOT NULL,
     context_token_count INTEGER,
     pack_hash TEXT NOT NULL,
     rules_evaluated INTEGER,
     rules_violated INTEGER,
     reviewer TEXT,
     reviewed_at INTEGER,
     review_duration_seconds INTEGER,
     approved INTEGER,
     commit_sha TEXT NOT NULL,
     lines_added INTEGER,
     lines_removed INTEGER,
     model_requested TEXT,
     model_substituted INTEGER,
     receipt_hash TEXT,
     reviewed INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX evidence_run_agent_name ON evidence_run (agent_name);
   CREATE INDEX evidence_run_model_id ON evidence_run (model_id);
   CREATE INDEX evidence_run_prompt_hash ON evidence_run (prompt_hash);
   CREATE INDEX evidence_run_pack_hash ON evidence_run (pack_hash);
   CREATE INDEX evidence_run_rules_violated ON evidence_run (rules_violated);
   CREATE INDEX evidence_run_reviewer ON evidence_run (reviewer);
   CREATE INDEX evidence_run_reviewed_at ON evidence_run (reviewed_at);
   CREATE INDEX evidence_run_review_duration_seconds ON evidence_run (review_duration_seconds);
   CREATE INDEX evidence_run_commit_sha ON evidence_run (commit_sha);
   CREATE INDEX evidence_run_model_requested ON evidence_run (model_requested);
   CREATE INDEX evidence_run_model_substituted ON evidence_run (model_substituted);
   CREATE INDEX evidence_run_receipt_hash ON evidence_run (receipt_hash);
   CREATE INDEX evidence_run_reviewed ON evidence_run (reviewed);

   CREATE TABLE evidence_review (
     entry_id INTEGER PRIMARY KEY REFERENCES evidence_entry (id),
     human_reviewer TEXT NOT NULL,
     review_timestamp INTEGER,
     decision TEXT,
     repo TEXT,
     commit_sha TEXT,
     review_duration_seconds INTEGER
   ) STRICT;
   CREATE INDEX evidence_review_human_reviewer ON evidence_review (human_reviewer);
   CREATE INDEX evidence_review_review_timestamp ON evidence_review (review_timestamp);
   CREATE INDEX evidence_review_decision ON evidence_review (decision);
   CREATE INDEX evidence_review_repo ON evidence_review (repo);
   CREATE INDEX evidence_review_commit_sha ON evidence_review (commit_sha);
   CREATE INDEX evidence_review_review_duration_seconds ON evidence_review (review_duration_seconds);

   CREATE TABLE evidence_review_claim (
     entry_id INTEGER PRIMARY KEY REFERENCES evidence_entry (id),
     human_reviewer TEXT NOT NULL,
     review_timestamp INTEGER,
     decision TEXT,
     repo TEXT,
     commit_sha TEXT,
     review_duration_seconds INTEGER
   ) STRICT;
   CREATE INDEX evidence_review_claim_human_reviewer ON evidence_review_claim (human_reviewer);
   CREATE INDEX evidence_review_claim_review_timestamp ON evidence_review_claim (review_timestamp);
   CREATE INDEX evidence_review_claim_decision ON evidence_review_claim (decision);
   CREATE INDEX evidence_review_claim_repo ON evidence_review_claim (repo);
   CREATE INDEX evidence_review_claim_commit_sha ON evidence_review_claim (commit_sha);
   CREATE INDEX evidence_review_claim_review_duration_seconds ON evidence_review_claim (review_duration_seconds);

   CREATE TABLE evidence_claim (
     entry_id INTEGER NOT NULL REFERENCES evidence_entry (id),
     claim TEXT NOT NULL,
     value TEXT,
     source TEXT,
     PRIMARY KEY (entry_id, claim)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_claim_value ON evidence_claim (claim, value);
   CREATE INDEX evidence_claim_source ON evidence_claim (claim, source);

   CREATE TABLE evidence_artifact (
     sha256 TEXT PRIMARY KEY,
     name TEXT,
     first_at INTEGER NOT NULL,
     last_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_artifact_name ON evidence_artifact (name);
   CREATE INDEX evidence_artifact_last_at ON evidence_artifact (last_at);
   CREATE TABLE evidence_artifact_link (
     sha256 TEXT NOT NULL,
     entry_id INTEGER NOT NULL REFERENCES evidence_entry (id),
     PRIMARY KEY (sha256, entry_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_artifact_link_entry ON evidence_artifact_link (entry_id);

   CREATE TABLE evidence_commit (
     commit_sha TEXT PRIMARY KEY,
     first_at INTEGER NOT NULL,
     last_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_commit_last_at ON evidence_commit (last_at);
   CREATE TABLE evidence_commit_link (
     commit_sha TEXT NOT NULL,
     entry_id INTEGER NOT NULL REFERENCES evidence_entry (id),
     PRIMARY KEY (commit_sha, entry_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_commit_link_entry ON evidence_commit_link (entry_id);

   CREATE TABLE evidence_receipt (
     receipt_hash TEXT PRIMARY KEY,
     run_id TEXT NOT NULL,
     witness TEXT NOT NULL,
     place TEXT NOT NULL,
     agent_name TEXT NOT NULL,
     agent_version TEXT NOT NULL,
     prompt_hash TEXT NOT NULL,
     pack_hash TEXT NOT NULL,
     main_model TEXT,
     imported_at INTEGER NOT NULL,
     envelope BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_receipt_place ON evidence_receipt (place);
   CREATE TABLE evidence_receipt_model (
     receipt_hash TEXT NOT NULL REFERENCES evidence_receipt (receipt_hash),
     position INTEGER NOT NULL,
     upstream TEXT NOT NULL,
     requested TEXT,
     served TEXT NOT NULL,
     substituted INTEGER,
     answers INTEGER NOT NULL,
     output_tokens INTEGER,
     PRIMARY KEY (receipt_hash, position)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX evidence_receipt_model_upstream ON evidence_receipt_model (upstream);
   CREATE INDEX evidence_receipt_model_requested ON evidence_receipt_model (requested);
   CREATE INDEX evidence_receipt_model_served ON evidence_receipt_model (served);
   CREATE INDEX evidence_receipt_model_substituted ON evidence_receipt_model (substituted);

   CREATE TABLE evidence_approval (
     about TEXT PRIMARY KEY,
     last_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE evidence_decision_request (
     id INTEGER PRIMARY KEY,
     request_uid TEXT NOT NULL,
     webhook TEXT NOT NULL,
     request TEXT NOT NULL,
     imported_at INTEGER NOT NULL,
     UNIQUE (request_uid, webhook)
   ) STRICT;
   CREATE TABLE evidence_decision (
     id INTEGER PRIMARY KEY,
     request_id INTEGER NOT NULL REFERENCES evidence_decision_request (id),
     time INTEGER NOT NULL,
     request_uid TEXT NOT NULL,
     webhook TEXT NOT NULL,
     operation TEXT NOT NULL,
     kind TEXT NOT NULL,
     namespace TEXT NOT NULL,
     name TEXT NOT NULL,
     owner TEXT,
     user TEXT,
     mode TEXT NOT NULL,
     admitted INTEGER NOT NULL,
     enforced INTEGER NOT NULL,
     place TEXT,
     image TEXT,
     digest TEXT,
     image_admitted INTEGER,
     exception_owner TEXT,
     exception_until INTEGER,
     valid_until INTEGER,
     cached INTEGER,
     detail TEXT
   ) STRICT;
   CREATE INDEX evidence_decision_time ON evidence_decision (time);
   CREATE INDEX evidence_decision_request_uid ON evidence_decision (request_uid, time);
   CREATE INDEX evidence_decision_kind ON evidence_decision (kind, time);
   CREATE INDEX evidence_decision_namespace ON evidence_decision (namespace, time);
   CREATE INDEX evidence_decision_name ON evidence_decision (name, time);
   CREATE INDEX evidence_decision_owner ON evidence_decision (owner, time);
   CREATE INDEX evidence_decision_user ON evidence_decision (user, time);
   CREATE INDEX evidence_decision_admitted ON evidence_decision (admitted, time);
   CREATE INDEX evidence_decision_place ON evidence_decision (place, time);
   CREATE INDEX evidence_decision_image ON evidence_decision (image, time);
   CREATE INDEX evidence_decision_digest ON evidence_decision (digest, time);
   CREATE INDEX evidence_decision_image_admitted ON evidence_decision (image_admitted, time);
   CREATE INDEX evidence_decision_exception_owner ON evidence_decision (exception_owner, time);
   CREATE INDEX evidence_decision_exception_until ON evidence_decision (exception_until);
   CREATE INDEX evidence_decision_valid_until ON evidence_decision (valid_until);

   CREATE TABLE evidence_decision_listed (
     list TEXT NOT NULL,
     value TEXT NOT NULL,
     time INTEGER NOT NULL,
     decision_id INTEGER NOT NULL REFERENCES evidence_decision (id),
     PRIMARY KEY (list, value, time, decision_id)
   ) STRICT, WITHOUT ROWID;`,
];

/** Number of the first schema that was released. */
export const FIRST_EVIDENCE_SCHEMA = 7;
