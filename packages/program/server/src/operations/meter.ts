import type { IssuerWatch } from '@colophon/issuer';

/** What is read at the moment at which somebody asks for the numbers. */
export const GAUGES = {
  ledger_uncheckpointed_rows: 'Rows of the ledger that no checkpoint covers yet.',
  configuration_in_force: '1 while the configuration file as it is now is in force, else 0.',
  tls_certificate_expires_seconds: 'Seconds until the TLS certificate expires.',
  token_key_age_seconds: 'For how long the key has been signing tokens.',
  token_key_rotation_seconds: 'Seconds until the next key signs; absent while no rotation is under way.',
} as const;
export type GaugeName = keyof typeof GAUGES;

/** Results of reading a file again. */
export type Reloaded = 'taken' | 'refused';

/** Is told what this process does, for its operator's numbers. */
export type Meter = IssuerWatch & {
  /** Rows were appended, durably. */
  appended(elapsedMs: number): void;
  ledgerFailed(operation: 'read' | 'write'): void;
  /** @param fault what was wrong with an issuer's answer; undefined where nothing was */
  keysAsked(fault: string | undefined): void;
  reloaded(file: 'configuration' | 'certificate', result: Reloaded): void;
  /** @param value undefined where there is none */
  gauge(name: GaugeName, value: () => number | undefined | Promise<number | undefined>): void;
};

/** Where nobody asks for numbers. */
export const NO_METER: Meter = {
  answered() {},
  credential() {},
  appended() {},
  ledgerFailed() {},
  keysAsked() {},
  reloaded() {},
  gauge() {},
};
