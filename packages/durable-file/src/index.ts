export { createFileDurably, writeFileDurably } from './durable-file/durable-file.ts';
export { makeFolder } from './folder/make-folder.ts';
