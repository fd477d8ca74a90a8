export {
  addressOf,
  agentEnvironment,
  PROVIDER_APIS,
  type ProviderApi,
  withheldNames,
} from './agent-environment/agent-environment.ts';
export { type EndedCommand, runAgentCommand } from './agent-process/agent-process.ts';
export { completedBy, observedPredicate } from './agent-run/observed-predicate.ts';
export { gapsFor, unixUser } from './isolation/isolation.ts';
export { observeHere } from './observer/observe-here.ts';
export { observeThere } from './observer/observe-there.ts';
export type { AskedRun, Observation } from './observer/observer.ts';
export type { SentRequest } from './proxy/exchange.ts';
export { type ReceiptEnvelope, type ReceiptFault, readReceipt } from './receipt/receipt-envelope.ts';
export {
  ControlApi,
  type JournalEntry,
  type RunJournal,
  type ServedUpstream,
  type WitnessCaller,
} from './service/control-api.ts';
export { nameOfAddress, type Upstream } from './upstream/upstream.ts';
export { Witness } from './witness/witness.ts';
export { WitnessError } from './witness-error/witness-error.ts';
