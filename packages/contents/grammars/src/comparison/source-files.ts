import type { ResultOf } from '@colophon/records/result';
import { grammarOfPath, isGenerated, type Language, languageOfGrammar } from '@colophon/similarity';
import type { skippedFile } from './comparison-result.ts';

/** A file with its bytes, and its path with `/` between folders. */
export type SourceBytes = { readonly path: string; readonly bytes: Uint8Array };

/** What is not compared, and why. */
export type SkippedFile = ResultOf<typeof skippedFile>;

/** Files to compare, and those that were passed over. */
export type SourceFiles = {
  readonly files: readonly SourceBytes[];
  readonly skipped: readonly SkippedFile[];
  /** Whatever was not read, also what is no language that is compared here. */
  readonly unread: readonly SkippedFile[];
  /** So many more are of another language than the caller chose. */
  readonly leftOutCount: number;
};

/** Why a file is not read whose name says no language that is compared. */
export const NO_LANGUAGE = 'of no language that is compared here';

/** UTF-8 text enough for the lines in which a generator says so. */
const GENERATED_PROBE_LENGTH = 8000;

/** Which files of a folder or package are chosen. */
export type Choice = {
  readonly language?: Language | undefined;
  /** Also those that say they are generated: a gate does not take a file's word for it. */
  readonly withGenerated?: boolean;
};

/** Those of a folder or package that can be compared: of a known language, or of this one, and not generated. */
export function sourceFilesAmong(files: readonly SourceBytes[], choice: Choice = {}): SourceFiles {
  const { language, withGenerated = false } = choice;
  const skipped: SkippedFile[] = [];
  const unread: SkippedFile[] = [];
  let leftOutCount = 0;
  const chosen = files.filter((file) => {
    const grammar = grammarOfPath(file.path);
    if (grammar === undefined) {
      unread.push({ file: file.path, reason: NO_LANGUAGE });
      return false;
    }
    if (language !== undefined && languageOfGrammar(grammar) !== language) {
      leftOutCount++;
      return false;
    }
    if (withGenerated || !isGenerated(textOf(file.bytes.subarray(0, GENERATED_PROBE_LENGTH)))) return true;
    skipped.push({ file: file.path, reason: 'generated' });
    return false;
  });
  return { files: chosen, skipped, unread: [...skipped, ...unread], leftOutCount };
}

/**
 * The text of a file's bytes, without a byte order mark. What is not UTF-8 is one unknown sign: an old encoding changes
 * comments and texts, not the syntax.
 */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
