export { admitImage } from './image-gate/admit-image.ts';
export { withBasis } from './image-gate/with-basis.ts';
export { fileSequencePins } from './sequence-pin/file-sequence-pins.ts';
export { negativesOfIssuer } from './standing-negatives/negatives-of-issuer.ts';
