export { bomDiff } from './diff/bom-diff-result.ts';
export { sbomLoss } from './profile/loss-result.ts';
