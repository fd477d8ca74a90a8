export { createFileDurably, writeFileDurably } from './durable-file/durable-file.ts';
export {
  readFilesAtOnce,
  readOpenFile,
  readRegularFile,
  versionOf,
} from './durable-file/regular-file.ts';
export { LockHeld, withFileLock } from './file-lock/file-lock.ts';
export { makeFolder } from './folder/make-folder.ts';
export { homeFolder } from './home-folder/home-folder.ts';
export { type PathStep, stepsTo } from './path-steps/path-steps.ts';
export { inScratchFolder } from './scratch-folder/scratch-folder.ts';
export { readSettingsFile } from './settings-file/settings-file.ts';
export { systemReason } from './system-reason/system-reason.ts';
