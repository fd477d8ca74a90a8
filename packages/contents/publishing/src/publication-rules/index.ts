export { formatIndexPage, PAGE_FILE } from './index-page.ts';
export {
  addPublication,
  emptyIndex,
  formatIndex,
  INDEX_FILE,
  INDEX_LIMITS,
  type PublicationIndex,
  parseIndex,
} from './publication-index.ts';
export {
  contentTypeOf,
  isPointerFile,
  isPublicationFile,
  latestFile,
  type PublicationName,
  parsePublicationName,
  publicationFiles,
  publicationName,
  WELL_KNOWN_PATH,
} from './publication-name.ts';
export { PublishingError } from './publishing-error.ts';
