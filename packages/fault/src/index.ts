export { declareErrors, type Fault, kindOf } from './declared-errors/declared-errors.ts';
export type { Kind } from './kind/kind.ts';
