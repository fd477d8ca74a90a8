export { bestMatches, fileComparison, reference, skippedFile, unread } from './comparison/comparison-result.ts';
