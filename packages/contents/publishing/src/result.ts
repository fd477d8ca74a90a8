export type { uploadResult } from './dashboard/upload-result.ts';
export { latest, publicationFacts, publishFacts } from './publication/publication-result.ts';
