export { readAttributes } from './attribute/attribute.ts';
export { type Blame, type BlamedLine, blameFile } from './blame/blame.ts';
export { type Commit, type Person, readCommits } from './commit/commit.ts';
export { ForgeError, type ForgeErrorCode } from './forge-error/forge-error.ts';
export type { GitOptions } from './git/git.ts';
export { hasPathAt, readFileAt } from './git/object.ts';
export { readNotes } from './note/note.ts';
export { type CommitRange, resolveRange } from './range/range.ts';
export { listChangedFiles, openRepository, type Repository } from './repository/repository.ts';
export { listTouchedFiles, type TouchedFile, type TouchedFiles } from './touched-file/touched-file.ts';
export { parseTrailers, type Trailer } from './trailer/trailer.ts';
export {
  type FileVersion,
  readWrittenFiles,
  type WrittenFile,
} from './written-file/written-file.ts';
