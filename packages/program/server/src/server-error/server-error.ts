import { declareErrors } from '@colophon/fault';

const KINDS = {
  'server.configuration_invalid': 'usage',
  'server.tls_unusable': 'machine',
  'server.trust_unusable': 'machine',
  'server.credentials_unusable': 'machine',
  'server.decision_log_unusable': 'machine',
  'server.witness_unusable': 'machine',
  'server.issuer_changed': 'machine',
  'server.algorithm_changed': 'machine',
  'server.namespace_changed': 'machine',
  'server.data_folder_in_use': 'machine',
  'server.data_folder_damaged': 'machine',
  'server.data_folder_newer': 'machine',
  'server.data_folder_unreleased': 'machine',
  'server.data_folder_unusable': 'machine',
  'server.pin_missing': 'machine',
  'server.nothing_to_restore': 'refused',
  'server.port_in_use': 'machine',
  'server.host_not_loopback': { kind: 'unauthorized', httpStatus: 403 },
  'server.origin_refused': { kind: 'unauthorized', httpStatus: 403 },
  'server.proxy_unknown': { kind: 'unauthorized', httpStatus: 403 },
  'server.forwarded_refused': { kind: 'unauthorized', httpStatus: 403 },
  'server.not_found': 'not-found',
  'server.busy': 'peer',
  'server.body_too_costly': { kind: 'usage', httpStatus: 413 },
  'server.method_not_allowed': { kind: 'usage', httpStatus: 405 },
  'server.range_unsatisfiable': { kind: 'usage', httpStatus: 416 },
} as const;

/** One of {@link ServerError.codes}. */
export type ServerErrorCode = keyof typeof KINDS;

/** The server cannot start, or will not serve a request. */
export const ServerError = declareErrors('ServerError', KINDS);
export type ServerError = InstanceType<typeof ServerError>;
