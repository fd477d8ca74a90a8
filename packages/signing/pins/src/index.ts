export { FilePins } from './file-pins/file-pins.ts';
export { askLog } from './history/ask-log.ts';
export { historyOf, newestOf } from './history/history-of.ts';
export { LEDGER_CHECKPOINT_PATH, LEDGER_CONSISTENCY_PATH, ledgerHistory } from './history/ledger-history.ts';
export { type LogHistory, provenNewest } from './history/log-history.ts';
export { PinError } from './pin-error/pin-error.ts';
export { assertOwnHistory } from './pin-rule/own-history.ts';
export { assertNoFork, knownList } from './pin-rule/pin-rule.ts';
export { keyIdOf } from './signed-checkpoint/key-id.ts';
export {
  type LogIdentity,
  readCheckpointOf,
  readSignedCheckpoint,
  type SignedCheckpoint,
} from './signed-checkpoint/signed-checkpoint.ts';
export { treeHeadNote } from './signed-checkpoint/tree-head-note.ts';
