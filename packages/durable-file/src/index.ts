export { createFileDurably, writeFileDurably } from './durable-file/durable-file.ts';
export { makeFolder } from './folder/make-folder.ts';
export { systemReason } from './system-reason/system-reason.ts';
