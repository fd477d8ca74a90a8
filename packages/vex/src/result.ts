export { decidedFinding, decidingStatement, unmatchedStatement } from './match/match-result.ts';
export { vexDocument } from './vex-document/vex-document-result.ts';
export { vexLoss } from './write/vex-loss-result.ts';
