import type { ProviderApi } from '../agent-environment/agent-environment.ts';
import type { RunOpening, RunOutcome } from '../observed-run/observed-run.ts';
import type { ReceiptEnvelope } from '../receipt/receipt-envelope.ts';

/** What is said of a run to whoever observes it. */
export type AskedRun = Omit<RunOpening, 'runId' | 'startedAt'>;

/** A run that somebody observes. */
export type Observation = {
  /** For the agent, by API. */
  readonly baseUrls: { readonly [api in ProviderApi]?: string };
  /** Whether the credentials of the upstreams are added on the way. */
  readonly addsCredentials: boolean;
  /** The signed receipt of the run as it is now. */
  receipt(): Promise<ReceiptEnvelope>;
  /** Ends the run, and answers with its signed receipt. */
  end(outcome: RunOutcome): Promise<ReceiptEnvelope>;
  /** Lets go of everything. */
  close(): void;
};
