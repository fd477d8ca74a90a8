import { commentAgent, commentPrompt, commentReviewer, commentWord } from './attribution-comment.ts';
import type { CommentBasis } from './comment-basis.ts';

/** What says that an agent wrote a line; the strongest first. */
export const EVIDENCE_SOURCES = [
  /** The commit is signed by the agent, and signature, certificate and log entry were verified. */
  'signature',
  /** A signature in the commit names the agent; nothing of it was verified. */
  'signature-unverified',
  /** A git-ai authorship log names the lines. */
  'git-ai',
  /** An Agent Trace record names the lines. */
  'agent-trace',
  /** A trailer of the commit. */
  'trailer',
  /** The commit's author or committer is a known agent's account. */
  'author',
] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];

/** An agent that wrote something, and what is known of how. Every value may stand in a comment as it is. */
export type AgentEvidence = {
  readonly agent: string;
  readonly version?: string;
  readonly model?: string;
  readonly prompt?: string;
  /** Somebody whose review is confirmed; what a trailer or an agent says of a review is not taken. */
  readonly reviewedBy?: string;
  readonly source: EvidenceSource;
  /** What each value rests on, where a verified certificate says so; the others are declared. */
  readonly basis?: CommentBasis;
};

/** What somebody said of an agent, in whatever form. */
export type SaidOfAgent = {
  readonly [field in 'agent' | 'version' | 'model' | 'prompt' | 'reviewedBy']?: string | undefined;
};

/** The name of an agent that nobody named. */
export const UNNAMED_AGENT = 'unnamed-agent';

/**
 * Takes over what may stand in a comment, and leaves out the rest: whatever an agent says of itself would otherwise be
 * written into source code. A name is made one (`Claude Code` is `claude-code`), but not one that a certificate gives: with
 * another spelling it would be another agent's.
 */
export function evidenceOf(source: EvidenceSource, said: SaidOfAgent): AgentEvidence {
  const { agent = '', version, model, prompt, reviewedBy } = said;
  const kept = {
    version: version === undefined ? undefined : commentWord(version),
    model: model === undefined ? undefined : commentWord(model),
    prompt: prompt === undefined ? undefined : commentPrompt(prompt),
    reviewedBy: reviewedBy === undefined ? undefined : commentReviewer(reviewedBy),
  };
  return {
    agent: commentAgent(agent) ?? (source === 'signature' ? undefined : commentAgent(slugOf(agent))) ?? UNNAMED_AGENT,
    ...(kept.version === undefined ? {} : { version: kept.version }),
    ...(kept.model === undefined ? {} : { model: kept.model }),
    ...(kept.prompt === undefined ? {} : { prompt: kept.prompt }),
    ...(kept.reviewedBy === undefined ? {} : { reviewedBy: kept.reviewedBy }),
    source,
  };
}

/** Adds to evidence what weaker evidence of the same commit knows beside it. */
export function completedBy(evidence: AgentEvidence, weaker: AgentEvidence | undefined): AgentEvidence {
  if (weaker === undefined) return evidence;
  const isSame = evidence.agent.toLowerCase() === weaker.agent.toLowerCase();
  // What a certificate vouches for is its own agent's.
  if (evidence.agent === UNNAMED_AGENT && evidence.source !== 'signature') {
    return { ...weaker, ...evidence, agent: weaker.agent };
  }
  // Another agent's version and model say nothing.
  return isSame ? { ...weaker, ...evidence } : evidence;
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/\[bot\]$/, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
    .slice(0, 64);
}
