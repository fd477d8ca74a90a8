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
