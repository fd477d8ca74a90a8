export {
  dataPaths,
  type Installation,
  readInstallation,
  type TokenAlgorithm,
  writeFileDurably,
} from './data-folder/data-folder.ts';
export { SERVER_ERROR_CODES, ServerError, type ServerErrorCode } from './server-error/server-error.ts';
export { DEFAULT_PORT, type RunningServer, type ServerOptions, startServer } from './start/start-server.ts';
