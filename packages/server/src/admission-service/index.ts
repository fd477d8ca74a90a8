export { loadAdmission } from './admission-configuration.ts';
export { ADMISSION_SCHEMA } from './admission-schema.ts';
export { type RunningAdmission, startAdmission } from './start-admission.ts';
