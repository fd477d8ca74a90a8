export {
  dataPaths,
  type Installation,
  readInstallation,
  type TokenAlgorithm,
} from './data-folder/data-folder.ts';
export { OCI_ERROR_CODES, type OciErrorCode } from './registry/oci-error.ts';
export { createRegistry, DEFAULT_MAX_BLOB_BYTES, type Registry, type RegistryOptions } from './registry/registry.ts';
export { ServerError, type ServerErrorCode } from './server-error/server-error.ts';
export { DEFAULT_PORT, type RunningServer, type ServerOptions, startServer } from './start/start-server.ts';
