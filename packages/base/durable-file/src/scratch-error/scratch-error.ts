import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The folder for temporary files is not there, cannot be written, or is full. */
  'scratch.folder_unusable': 'machine',
} as const;

/** The machine gives no room for temporary files. */
export const ScratchError = declareErrors('ScratchError', KINDS);
export type ScratchError = InstanceType<typeof ScratchError>;
