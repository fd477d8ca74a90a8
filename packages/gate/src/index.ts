export { type AdmitImageOptions, admitImage, type ImageVerdict } from './image-gate/admit-image.ts';
export { fileSequencePins } from './sequence-pin/file-sequence-pins.ts';
export type { SequencePins } from './sequence-pin/sequence-pins.ts';
export { negativesOfIssuer } from './standing-negatives/negatives-of-issuer.ts';
export { type ReadNegativesOptions, readStandingNegatives } from './standing-negatives/read-standing-negatives.ts';
