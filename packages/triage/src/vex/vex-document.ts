/** The states of contract §3. */
export const VEX_STATUSES = ['under_investigation', 'affected', 'not_affected', 'fixed'] as const;
export type VexStatus = (typeof VEX_STATUSES)[number];

/** The justifications of contract §2.6. */
export const VEX_JUSTIFICATIONS = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
] as const;
export type VexJustification = (typeof VEX_JUSTIFICATIONS)[number];

/** Something that a statement speaks of: an artifact, or a component inside it. */
export type VexSubject = {
  /** `@id` of OpenVEX: an IRI, most often a purl. */
  readonly id?: string;
  readonly purl?: string;
  readonly cpe22?: string;
  readonly cpe23?: string;
  /** By algorithm as OpenVEX names it, e.g. `sha-256`. */
  readonly hashes?: Readonly<Record<string, string>>;
};

/** A product, and the components inside it where only these are spoken of. */
export type VexProduct = VexSubject & { readonly subcomponents?: readonly VexSubject[] };

/** One statement, in the words of OpenVEX v0.2.0 whatever it was read from. */
export type VexStatement = {
  readonly id?: string;
  readonly version?: number;
  readonly vulnerability: {
    /** A CVE in capitals, or another id as it was written. */
    readonly name: string;
    readonly id?: string;
    readonly description?: string;
    readonly aliases?: readonly string[];
  };
  /** RFC 3339; a statement that has none has its document's. */
  readonly timestamp: string;
  readonly lastUpdated?: string;
  readonly products: readonly VexProduct[];
  readonly status: VexStatus;
  readonly supplier?: string;
  readonly statusNotes?: string;
  readonly justification?: VexJustification;
  readonly impactStatement?: string;
  readonly actionStatement?: string;
  readonly actionStatementTimestamp?: string;
};

/** The shapes that a VEX document is read from. */
export type VexFormat = 'openvex' | 'spec' | 'cyclonedx' | 'csaf';

/** A document with statements, in one model whatever it was read from. */
export type VexDocument = {
  readonly format: VexFormat;
  readonly id?: string;
  readonly author?: string;
  readonly role?: string;
  /** RFC 3339 in UTC; absent where the document has none. */
  readonly timestamp?: string;
  readonly lastUpdated?: string;
  readonly version?: number;
  readonly tooling?: string;
  readonly statements: readonly VexStatement[];
};
