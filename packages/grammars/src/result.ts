export { bestMatches, fileComparison, skippedFile } from './comparison/comparison-result.ts';
