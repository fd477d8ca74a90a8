/** Work that is done again and again, by one of many replicas at a time. */
export type Job = {
  /** The same on every replica. */
  readonly name: string;
  /** From the beginning of one run to the next. */
  readonly everySeconds: number;
  /** After this long a run is taken for hanging, and is ended. */
  readonly timeoutSeconds: number;
  /**
   * Does the work and answers with what came of it, in one line without secrets. Ends soon after `signal` aborts: then
   * another replica may have begun. May be run again after a run whose end nobody recorded.
   */
  run(signal: AbortSignal): Promise<string>;
};

/**
 * How a run ended: `released` where this process was ended first, and the lease is given back; `lost` where somebody else
 * has the lease now; `unrecorded` where the database could not be told. The last two count for nothing.
 */
export type JobRunOutcome = 'done' | 'failed' | 'released' | 'lost' | 'unrecorded';

/** One run of a job. Times are milliseconds since the epoch. */
export type JobRun = {
  readonly name: string;
  readonly outcome: JobRunOutcome;
  readonly message: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Absent where this run does not say when the next one is. */
  readonly nextRunAt?: number;
  /** What the work threw; not kept. */
  readonly error?: unknown;
};

const MOST_MESSAGE_LENGTH = 300;

/** What an error or a job says of itself, as one line that can be kept: also what an error found, which may be the reason. */
export function messageOf(said: unknown): string {
  const text = said instanceof Error ? sentenceOf(said) : String(said);
  return text
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MOST_MESSAGE_LENGTH);
}

function sentenceOf({
  message,
  code,
  facts,
}: Error & { code?: unknown; facts?: { readonly found?: unknown } }): string {
  const found = typeof facts?.found === 'string' ? ` (${facts.found})` : '';
  return `${typeof code === 'string' ? `${code}: ` : ''}${message}${found}`;
}
