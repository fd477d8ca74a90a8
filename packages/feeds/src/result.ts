export { latest, publicationFacts, publishFacts } from './publication/publication-result.ts';
