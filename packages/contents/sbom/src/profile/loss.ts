import type { ResultOf } from '@colophon/records/result';
import type { sbomLoss } from './loss-result.ts';

/** Something that the converted document no longer says, or no longer says in the same way. */
export type Loss = ResultOf<typeof sbomLoss>;

/** The profiles that attribution is written in: the one that every reader accepts, and the contract's letter. */
export const WRITTEN_PROFILES = ['standard', 'spec'] as const;
export type WrittenProfile = (typeof WRITTEN_PROFILES)[number];

/** A signature inside a document or component covers what it was. */
export function signatureLoss(path: string): Loss {
  return { path: `${path}/signature`, what: 'the signature inside', why: 'it does not survive a change' };
}
