import type { VexJustification, VexStatus } from '@colophon/records';

/** `analysis.state` and what it says; the first one for a status is the one that is written. */
export const STATUS_OF_STATE = {
  not_affected: 'not_affected',
  exploitable: 'affected',
  resolved: 'fixed',
  in_triage: 'under_investigation',
  // With evidence of the change in the component's pedigree.
  resolved_with_pedigree: 'fixed',
  false_positive: 'not_affected',
} as const satisfies Record<string, VexStatus>;
export type CycloneDxState = keyof typeof STATUS_OF_STATE;

export const STATE_OF_STATUS: Readonly<Record<VexStatus, CycloneDxState>> = {
  not_affected: 'not_affected',
  affected: 'exploitable',
  fixed: 'resolved',
  under_investigation: 'in_triage',
};

/** What `analysis.justification` says, as near as the five of the contract come to it. */
export const JUSTIFICATION_READ = {
  code_not_present: 'vulnerable_code_not_present',
  code_not_reachable: 'vulnerable_code_not_in_execute_path',
  requires_configuration: 'vulnerable_code_cannot_be_controlled_by_adversary',
  requires_dependency: 'vulnerable_code_cannot_be_controlled_by_adversary',
  requires_environment: 'vulnerable_code_cannot_be_controlled_by_adversary',
  protected_by_compiler: 'inline_mitigations_already_exist',
  protected_at_runtime: 'inline_mitigations_already_exist',
  protected_at_perimeter: 'inline_mitigations_already_exist',
  protected_by_mitigating_control: 'inline_mitigations_already_exist',
} as const satisfies Record<string, VexJustification>;
export type CycloneDxJustification = keyof typeof JUSTIFICATION_READ;

export const JUSTIFICATION_WRITTEN: Readonly<Record<VexJustification, CycloneDxJustification>> = {
  component_not_present: 'code_not_present',
  vulnerable_code_not_present: 'code_not_present',
  vulnerable_code_not_in_execute_path: 'code_not_reachable',
  vulnerable_code_cannot_be_controlled_by_adversary: 'requires_environment',
  inline_mitigations_already_exist: 'protected_by_mitigating_control',
};

/** `analysis.response` in words, for a statement that says nothing else of what to do. */
export const WORDS_OF_RESPONSE: Readonly<Record<string, string>> = {
  can_not_fix: 'It cannot be fixed.',
  will_not_fix: 'It will not be fixed.',
  update: 'Update to another version.',
  rollback: 'Go back to an earlier version.',
  workaround_available: 'There is a workaround.',
};

/** What OpenVEX can say and CycloneDX cannot stands in properties of these names. */
export const PROPERTY_PREFIX = 'colophon:vex:';

/** The `bom-ref` of a statement that is written, by its place among them, from 0. */
export function statementRef(place: number): string {
  return `statement-${place + 1}`;
}

/** The place that such a reference names; undefined for any other. */
export function placeInStatementRef(ref: unknown): number | undefined {
  const number = typeof ref === 'string' ? /^statement-([1-9]\d{0,8})$/.exec(ref)?.[1] : undefined;
  return number === undefined ? undefined : Number(number) - 1;
}

const HASHES = {
  md5: 'MD5',
  sha1: 'SHA-1',
  'sha-256': 'SHA-256',
  'sha-384': 'SHA-384',
  'sha-512': 'SHA-512',
  'sha3-256': 'SHA3-256',
  'sha3-384': 'SHA3-384',
  'sha3-512': 'SHA3-512',
  'blake2b-256': 'BLAKE2b-256',
  'blake2b-384': 'BLAKE2b-384',
  'blake2b-512': 'BLAKE2b-512',
  blake3: 'BLAKE3',
} as const;

/** The names of hashes, as OpenVEX writes them first. */
export const HASH_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(HASHES));
export const HASH_NAMES_READ: ReadonlyMap<string, string> = new Map(
  Object.entries(HASHES).map(([name, written]) => [written, name]),
);
