export type { ClientConfiguration, Configuration, ReviewLogin } from './configuration.ts';
export { CONFIGURATION_EXAMPLE } from './configuration-example.ts';
export { loadClientConfiguration, loadConfiguration } from './configuration-file.ts';
export type { ConfigurationIssue } from './configuration-issue.ts';
export { callerOpenings } from './opened-event.ts';
export { dataFolderIn } from './read-configuration.ts';
