export const SERVER_ERROR_CODES = [
  'server.issuer_changed',
  'server.algorithm_changed',
  'server.data_folder_in_use',
  'server.data_folder_damaged',
  'server.data_folder_unusable',
  'server.port_in_use',
  'server.host_not_loopback',
  'server.origin_refused',
  'server.forwarded_refused',
  'server.not_found',
  'server.busy',
  'server.body_too_costly',
  'server.method_not_allowed',
  'server.range_unsatisfiable',
] as const;
export type ServerErrorCode = (typeof SERVER_ERROR_CODES)[number];

/** The server cannot start, or will not serve a request. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;
  constructor(code: ServerErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
  }
}
