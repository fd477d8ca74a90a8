export { evidenceExplanation } from './explanation/explanation-result.ts';
export { imageAdmission } from './image-gate/admission-result.ts';
export { objectAdmission } from './object-gate/object-admission-result.ts';
