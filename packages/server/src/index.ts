export { startServer } from './start/start-server.ts';
