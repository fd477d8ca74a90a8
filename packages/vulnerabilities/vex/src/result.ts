export { decidedFinding, decidingStatement, unmatchedStatement } from './match/match-result.ts';
export { VEX_FAMILIES, VEX_PROFILES } from './vex-document/vex-document.ts';
export { vexDocument } from './vex-document/vex-document-result.ts';
export { vexLoss } from './write/vex-loss-result.ts';
