import type { ImageVerdict } from '../image-gate/judge-image.ts';

/** What whoever asks again has to know of a decision, without the statements by which it was made. */
export type RememberedDecision = Pick<ImageVerdict, 'admitted' | 'reasons' | 'warnings' | 'digest' | 'valid_until'> & {
  /** Certificate identities of the agents, or the people, by whose signatures the image passes; each once. */
  readonly agents: readonly string[];
  /** The same of its reviews. */
  readonly reviewers: readonly string[];
  /** Who answers for it, where it passes although evidence is missing. */
  readonly exception?: { readonly owner: string; readonly reason: string; readonly until: string };
  /** Codes of the reasons that an exception excuses; each once. */
  readonly excused: readonly string[];
};

/** A decision without its evidence. */
export function rememberedDecision(verdict: ImageVerdict): RememberedDecision {
  const { admitted, reasons, warnings, verdicts, digest, valid_until } = verdict;
  const subjects = (signatures: (typeof verdicts)[number]['reviews']) =>
    signatures.map(({ certificate_identity: { subject } }) => subject);
  const exceptions = verdicts.flatMap((one) => one.exception ?? []);
  const [exception] = exceptions;
  return {
    admitted,
    reasons,
    warnings,
    ...(digest === undefined ? {} : { digest }),
    ...(valid_until === undefined ? {} : { valid_until }),
    agents: distinct(verdicts.flatMap((one) => subjects([...one.agent_signatures, ...(one.human_signatures ?? [])]))),
    reviewers: distinct(verdicts.flatMap(({ reviews }) => subjects(reviews))),
    ...(exception === undefined
      ? {}
      : { exception: { owner: exception.owner, reason: exception.reason, until: exception.until } }),
    excused: distinct(exceptions.flatMap(({ excuses }) => excuses)),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
