export { formatIndexPage, PAGE_FILE } from './index-page.ts';
export {
  addPublication,
  assertNameIsFree,
  emptyIndex,
  type FileRecord,
  findPublication,
  formatIndex,
  INDEX_FILE,
  INDEX_LIMITS,
  type Publication,
  type PublicationIndex,
  parseIndex,
  removePublication,
} from './publication-index.ts';
export {
  artifactNames,
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
export { PublishingError, type PublishingErrorCode } from './publishing-error.ts';
export { assertMayBeDeleted, keptUntil, retainUntil } from './retention.ts';
export { becomesLatest } from './version-order.ts';
