export type { Configuration, FixedConfiguration, LiveConfiguration } from './configuration.ts';
export { CONFIGURATION_EXAMPLE } from './configuration-example.ts';
export type { ConfigurationIssue } from './configuration-issue.ts';
export { CONFIGURATION_SCHEMA, type Role } from './configuration-schema.ts';
export { parseConfiguration } from './read-configuration.ts';
