import { VEX_JUSTIFICATIONS, type VexJustification } from '@colophon/records';
import type { VexStatement } from '../vex-document/vex-document.ts';

/** What the notes of every draft begin with; nobody else's notes do. */
export const DRAFT_LABEL = 'colophon-draft/v1 (proposed by a machine; a person has to decide):';

/** What a machine proposes to say, and what it goes by. */
export type Proposal = {
  readonly status: 'not_affected';
  readonly justification: VexJustification;
  readonly impact_statement: string;
  /** What was looked at and found, for the person who decides. */
  readonly evidence: readonly string[];
};

/**
 * A statement that proposes another one. It says `under_investigation`, so that no reader of VEX leaves out a finding
 * for what a machine guessed; what is proposed stands in its notes.
 */
export function draftStatement(
  about: Pick<VexStatement, 'vulnerability' | 'products' | 'timestamp'>,
  proposal: Proposal,
): VexStatement {
  return { ...about, status: 'under_investigation', status_notes: `${DRAFT_LABEL} ${JSON.stringify(proposal)}` };
}

/** True for a statement that is labelled a draft, also where what it proposes cannot be read. */
export function isDraft({ status_notes }: Pick<VexStatement, 'status_notes'>): boolean {
  return status_notes?.trimStart().startsWith(DRAFT_LABEL) ?? false;
}

/** What a draft proposes; undefined for any other statement, and for a draft that somebody has changed beyond reading. */
export function proposalOf(statement: Pick<VexStatement, 'status_notes' | 'status'>): Proposal | undefined {
  if (!isDraft(statement) || statement.status !== 'under_investigation') return undefined;
  const text = (statement.status_notes as string).trimStart().slice(DRAFT_LABEL.length);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isProposal(value) ? value : undefined;
}

function isProposal(value: unknown): value is Proposal {
  if (typeof value !== 'object' || value === null) return false;
  const { status, justification, impact_statement, evidence } = value as Record<string, unknown>;
  return (
    status === 'not_affected' &&
    VEX_JUSTIFICATIONS.includes(justification as VexJustification) &&
    typeof impact_statement === 'string' &&
    Array.isArray(evidence) &&
    evidence.every((line) => typeof line === 'string')
  );
}

/** The statement that a draft proposes, said by a person now; any other statement as it is. */
export function acceptDraft(statement: VexStatement, at: string): VexStatement {
  const proposal = proposalOf(statement);
  if (proposal === undefined) return statement;
  const { status_notes: _notes, ...rest } = statement;
  const { status, justification, impact_statement } = proposal;
  return { ...rest, timestamp: at, status, justification, impact_statement };
}
