export { isPrivateAddress } from './address/private-address.ts';
export { isLoopback, shownAddress, underBase } from './address/web-address.ts';
export { jsonIn, membersIn } from './answer/json-answer.ts';
export { oneLine, peerReason } from './answer/peer-reason.ts';
export {
  type AnswerHead,
  type AskOptions,
  askPeer,
  type FinalAnswer,
  type PeerAnswer,
  type Question,
} from './ask/ask-peer.ts';
export { eachAtOnce } from './ask/each-at-once.ts';
export { isPassing } from './ask/is-passing.ts';
export { NoAnswer } from './ask/no-answer.ts';
export { useMachineNetwork } from './network/machine-network.ts';
export { fetchTrusting } from './private-ca/private-ca.ts';
export { openRequest } from './stream/open-request.ts';
