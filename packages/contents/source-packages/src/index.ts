export { readSourceFolder } from './source-package/source-folder.ts';
export { fetchSourcePackage } from './source-package/source-package.ts';
export { isBinary, type SourceFile, type SourceTree } from './source-package/source-tree.ts';
