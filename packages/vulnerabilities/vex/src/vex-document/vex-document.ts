import type { ResultOf } from '@colophon/records/result';
import type { vexDocument, vexNote, vexProduct, vexStatement, vexSubject } from './vex-document-result.ts';

/** Something that a statement speaks of: an artifact, or a component inside it. */
export type VexSubject = ResultOf<typeof vexSubject>;

/** A product, and the components inside it where only these are spoken of. */
export type VexProduct = ResultOf<typeof vexProduct>;

/** One statement, in the words of OpenVEX v0.2.0 whatever it was read from. */
export type VexStatement = ResultOf<typeof vexStatement>;

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
export type VexNote = ResultOf<typeof vexNote>;

/** The shapes that a document is written in and validated against: OpenVEX v0.2.0, the contract's letter (§2.6), CycloneDX. */
export const VEX_PROFILES = ['openvex', 'spec', 'cyclonedx'] as const;
export type VexProfile = (typeof VEX_PROFILES)[number];

/** The shapes that a VEX document is read from. */
export const VEX_SHAPES = [...VEX_PROFILES, 'csaf'] as const;

/** The family that a document is of; the contract's shape is one of OpenVEX. */
export const VEX_FAMILIES = ['openvex', 'cyclonedx', 'csaf'] as const;
export type VexFamily = (typeof VEX_FAMILIES)[number];

/** A document with statements, in one model whatever it was read from. */
export type VexDocument = ResultOf<typeof vexDocument>;
