import type { STATEMENT_TYPE } from '../predicate-type/predicate-type.ts';

/** in-toto ResourceDescriptor, as far as we use it; digest keys are in-toto's (`sha256`, `gitCommit`, `gitTree`). */
export type Subject = {
  readonly name?: string;
  readonly uri?: string;
  readonly digest: { readonly [algorithm: string]: string };
};

/** in-toto Statement v1. */
export type Statement<Predicate = unknown> = {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Subject[];
  readonly predicateType: string;
  readonly predicate: Predicate;
};
