import type { VexJustification, VexStatus } from '@colophon/records';

/** Something that a statement speaks of: an artifact, or a component inside it. */
export type VexSubject = {
  /** `@id` of OpenVEX: an IRI, most often a purl. */
  readonly id?: string;
  readonly purl?: string;
  readonly cpe22?: string;
  readonly cpe23?: string;
  /** By algorithm as OpenVEX names it, e.g. `sha-256`. */
  readonly hashes?: Readonly<Record<string, string>>;
  /** For people; CSAF and CycloneDX name products that have no purl. */
  readonly name?: string;
  /** Versions or `vers:` ranges that it is limited to where there is no purl to say so; nothing matches it then. */
  readonly versions?: readonly string[];
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
  /** RFC 3339 in UTC; a statement that has none has its document's, and `UNKNOWN_TIME` where that has none either. */
  readonly timestamp: string;
  readonly last_updated?: string;
  readonly products: readonly VexProduct[];
  readonly status: VexStatus;
  readonly supplier?: string;
  readonly status_notes?: string;
  readonly justification?: VexJustification;
  readonly impact_statement?: string;
  readonly action_statement?: string;
  readonly action_statement_timestamp?: string;
};

/** The time of a statement that nobody gave one: it is older than every other. */
export const UNKNOWN_TIME = '0001-01-01T00:00:00Z';

/** What a note of a reader says, by its stable code; listed in docs/errors.md. */
export const VEX_NOTE_CODES = [
  'vex.not_held',
  'vex.read_as',
  'vex.no_statement',
  'vex.products_missing',
  'vex.time_unknown',
  'vex.reference_outside',
] as const;
export type VexNoteCode = (typeof VEX_NOTE_CODES)[number];

/** Something that a document says and the model does not, or not in the same way. */
export type VexNote = {
  /** JSON Pointer to the first place. */
  readonly path: string;
  readonly code: VexNoteCode;
  readonly message: string;
  /** Places of which the same is to be said. */
  readonly count: number;
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
  readonly last_updated?: string;
  readonly version?: number;
  readonly tooling?: string;
  readonly statements: readonly VexStatement[];
  /** What was read otherwise than it is written, or could not be held. */
  readonly notes?: readonly VexNote[];
};
