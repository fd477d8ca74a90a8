import type { AgentEvidence } from './agent-evidence.ts';

/** Lines of one version of a file, from 1, both included, and who wrote them; undefined for a person. */
export type LineRange<Author = AgentEvidence> = {
  readonly start: number;
  readonly end: number;
  readonly evidence: Author | undefined;
};

/** Who wrote which lines, by the file's path. */
export type RangesByFile<Author = AgentEvidence> = ReadonlyMap<string, ReadonlyArray<LineRange<Author>>>;

/** Who wrote a line, by the last range that has it; undefined for nobody that is named. */
export function evidenceAt(ranges: readonly LineRange[], line: number): AgentEvidence | undefined {
  return ranges.findLast(({ start, end }) => start <= line && line <= end)?.evidence;
}
