export { attributedBom } from './attribute/attributed-result.ts';
export { bomDiff } from './diff/bom-diff-result.ts';
export { licenceDecision, licenceOffence } from './licence-gate/licence-result.ts';
export { WRITTEN_PROFILES } from './profile/loss.ts';
export { sbomLoss } from './profile/loss-result.ts';
