export { declareErrors, type FaultClass, kindOf } from './declared-errors/declared-errors.ts';
export type { Kind } from './kind/kind.ts';
