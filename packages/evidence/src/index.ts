export { createEvidence } from './evidence/evidence.ts';
