/** What is looked at, in this order. */
export const PROBES = [
  'roots',
  'clock',
  'issuer',
  'authority',
  'log',
  'timestamps',
  'registry',
  'programs',
  'signature',
] as const;
export type Probe = (typeof PROBES)[number];

/** Everything that can be found wrong with services and the files of their clients. */
export const DOCTOR_CODES = [
  'doctor.root_expired',
  'doctor.clock_differs',
  'doctor.tls_refused',
  'doctor.issuer_unreachable',
  'doctor.issuer_differs',
  'doctor.issuer_keys',
  'doctor.authority_unreachable',
  'doctor.authority_unknown',
  'doctor.issuer_not_trusted',
  'doctor.audience_differs',
  'doctor.challenge_differs',
  'doctor.authority_not_pinned',
  'doctor.log_unreachable',
  'doctor.log_version',
  'doctor.log_not_pinned',
  'doctor.timestamps_missing',
  'doctor.timestamps_unreachable',
  'doctor.timestamps_not_pinned',
  'doctor.ct_log_missing',
  'doctor.ct_log_unknown',
  'doctor.certificate_mapping',
  'doctor.registry_unreachable',
  'doctor.registry_unauthorized',
  'doctor.program_outdated',
  'doctor.signature_refused',
] as const;
export type DoctorCode = (typeof DOCTOR_CODES)[number];

/** What one probe found. */
export type Finding = {
  readonly probe: Probe;
  readonly state: 'ok' | 'fault' | 'not-tried';
  /** Of a fault. */
  readonly code?: DoctorCode;
  /** The code of the error that a command ends with where this is wrong, if it has one. */
  readonly refusal?: string;
  /** One sentence. */
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  /** The file to change. */
  readonly file?: string;
  /** What to do. */
  readonly advice?: string;
};

/** What a probe says of one thing that is wrong. */
export type Fault = Omit<Finding, 'probe' | 'state'> & { readonly code: DoctorCode };

/** That all is well. */
export function fine(probe: Probe, message: string): Finding {
  return { probe, state: 'ok', message };
}

/** That something is wrong. */
export function fault(probe: Probe, found: Fault): Finding {
  return { probe, state: 'fault', ...found };
}
