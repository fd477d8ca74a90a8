export { type ApiRequest, type ApiServer, startApiServer, type WrongApiAnswer } from './api-server/api-server.ts';
export { agentName, anyText, emailAddress, sha256Digest } from './arbitrary/arbitrary.ts';
export { changesOf } from './changed-document/changed-document.ts';
export { type Cleanup, cleanupAt } from './cleanup/cleanup.ts';
export { type Dashboard, type DashboardOptions, startDashboard, type WrongAnswer } from './dashboard/dashboard.ts';
export { type FakeClock, fakeClock } from './fake-clock/fake-clock.ts';
export { type ForeignIssuer, startForeignIssuer } from './foreign-issuer/foreign-issuer.ts';
export { freePort } from './free-port/free-port.ts';
export { type GitRepository, gitRepository } from './git-repository/git-repository.ts';
export {
  answerAs,
  type ModelProvider,
  type ProviderRequest,
  type Reply,
  startModelProvider,
  typedEvent,
} from './model-provider/model-provider.ts';
export { deadUrl, type Peer, startPeer } from './peer/peer.ts';
export {
  PLATFORM_COMMIT,
  type PlatformName,
  type PlatformToken,
  platformTokens,
} from './platform-token/platform-token.ts';
export { type Postgres, startPostgres } from './postgres/postgres.ts';
export { postgresPrograms } from './postgres/postgres-programs.ts';
export { seededBytes } from './seeded-bytes/seeded-bytes.ts';
export { selfSigned } from './self-signed/self-signed.ts';
export { fillDisk, smallDisk } from './small-disk/small-disk.ts';
export { temporaryFolder } from './temporary-folder/temporary-folder.ts';
export {
  agentClaims,
  encodeSegment,
  fixedClock,
  type IssuerKey,
  keySourceOf,
  makeIssuerKey,
  mintToken,
  signInput,
  TOKEN_ISSUER,
  TOKEN_TIME,
} from './token-issuer/token-issuer.ts';
export { SIX_FIELDS } from './token-request/token-request.ts';
