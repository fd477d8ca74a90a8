export { clusterImagePolicy, type GenerateOptions } from './cluster-image-policy.ts';
export { cosignLines } from './cosign-lines.ts';
export { GenerateError } from './generate-error.ts';
export { type Gap, type GeneratedFile, type GeneratedPolicy, TARGETS, type Target } from './generated-file.ts';
export type { TrustedRootDocument } from './trust-root.ts';
