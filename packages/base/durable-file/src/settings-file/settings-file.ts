import { readFileSync } from 'node:fs';
import { systemReason } from '../system-reason/system-reason.ts';

/** The text of a settings file, or why there is none: without it nobody knows what its owner set. */
export type SettingsFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** There is no such file, and none below what is no folder. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Settings of a user, in UTF-8. One that is not at its usual place is empty; one that somebody named has to be there, and
 * what is there has to be readable: a program that goes on without it asks other servers than its user set.
 * @param isNamed false for the usual place
 */
export function readSettingsFile(path: string, { isNamed }: { readonly isNamed: boolean }): SettingsFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const isAbsent = ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
    return isAbsent && !isNamed ? { ok: true, text: '' } : { ok: false, reason: systemReason(error) };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // UTF-16 of plain letters is UTF-8 with a NUL after each.
    if (!text.includes('\0')) return { ok: true, text };
  } catch {
    // Told below, as that is.
  }
  return { ok: false, reason: 'it is no text in UTF-8' };
}
