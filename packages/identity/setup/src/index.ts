export { examine } from './doctor/examine.ts';
export { DOCTOR_CODES, type Finding, PROBES } from './doctor/finding.ts';
export { SETUP_FILES, setupFiles } from './init/setup-files.ts';
export { type GivenKeys, gatherKeys } from './keys/service-keys.ts';
