export { serveConfiguration } from './start/serve-configuration.ts';
export { startServer } from './start/start-server.ts';
export { readConfiguredTrust } from './trust-files/configured-trust.ts';
