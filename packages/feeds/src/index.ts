export { FEEDS_ERROR_CODES, FeedsError, type FeedsErrorCode } from './feeds-error/feeds-error.ts';
export { readSourceFolder } from './source-package/source-folder.ts';
export {
  fetchSourcePackage,
  type SourcePackage,
  type SourcePackageOptions,
} from './source-package/source-package.ts';
export type { SourceFile, SourceTree } from './source-package/source-tree.ts';
