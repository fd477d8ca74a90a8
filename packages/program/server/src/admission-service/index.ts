export { startAdmission } from './start-admission.ts';
