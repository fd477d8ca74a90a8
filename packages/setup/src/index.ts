export { type ExamineOptions, examine } from './doctor/examine.ts';
export type { Examined } from './doctor/examined.ts';
export { DOCTOR_CODES, type Finding, PROBES } from './doctor/finding.ts';
export { fulcioConfig } from './fulcio-configuration/fulcio-configuration.ts';
export { SETUP_FILES, type SetupFile, type SetupFileName, setupFiles } from './init/setup-files.ts';
export {
  type FetchedKey,
  type GivenKeys,
  gatherKeys,
  type ServiceAddresses,
  type ServiceKeys,
} from './keys/service-keys.ts';
export { SetupError } from './setup-error/setup-error.ts';
