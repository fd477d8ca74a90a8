import {
  type DecisionIssue,
  decisionLines,
  EvidenceClientError,
  readDecision,
  storeDecisions,
} from '@colophon/evidence/client';
import { counted } from '../terminal/terminal.ts';

/** More of them say nothing new of a log. */
const MOST_ISSUES = 100;

/** What became of a log of decisions. */
type KeptDecisions = {
  readonly kind: 'decisions';
  readonly stored: number;
  /** Were there already. */
  readonly known: number;
  /** A last line that was cut off, which is not kept. */
  readonly unread?: readonly DecisionIssue[];
};

/**
 * Hands a log of admission decisions to the evidence store, whatever else stands in it. A last line that its writer did
 * not finish is no mistake of the log.
 * @throws EvidenceClientError as storeDecisions; `evidence.decisions_malformed` where another line is no record, after all others were kept
 */
export async function keepDecisions(
  server: string,
  log: Uint8Array,
  { file, credential }: { readonly file: string; readonly credential: () => Promise<string | undefined> },
): Promise<KeptDecisions> {
  const unread: DecisionIssue[] = [];
  const lines = { refused: 0, isCut: false };
  const records = function* () {
    for (const { line, bytes, isEnded } of decisionLines(log)) {
      const read = readDecision(bytes);
      if (read.ok) yield read.value;
      else {
        if (unread.length < MOST_ISSUES)
          unread.push(...read.issues.map(({ source: _, ...issue }) => ({ ...issue, line })));
        if (isEnded) lines.refused += 1;
        else lines.isCut = true;
      }
    }
  };
  const kept = await storeDecisions(server, records(), { credential });
  if (lines.refused > 0) {
    const others = counted(kept.stored + kept.known, 'other');
    const message = `${counted(lines.refused, 'line')} of the log hold no record of a decision; ${others} kept`;
    throw new EvidenceClientError('evidence.decisions_malformed', message, {
      checked: file,
      issues: unread,
      kind: 'refused',
    });
  }
  return { kind: 'decisions', ...kept, ...(lines.isCut ? { unread } : {}) };
}
