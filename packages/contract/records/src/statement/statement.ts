import type { STATEMENT_TYPE, STATEMENT_TYPE_V0_1 } from '../predicate-type/predicate-type.ts';

/** in-toto ResourceDescriptor, as far as we use it; digest keys are in-toto's (`sha256`, `gitCommit`, `gitTree`). */
export type Subject = {
  readonly name?: string;
  readonly uri?: string;
  readonly digest: { readonly [algorithm: string]: string };
};

/** in-toto Statement. Version 1 is what we write (contract §9); `cosign attest` still writes 0.1, of the same shape. */
export type Statement<Predicate = unknown> = {
  readonly _type: typeof STATEMENT_TYPE | typeof STATEMENT_TYPE_V0_1;
  readonly subject: readonly Subject[];
  readonly predicateType: string;
  readonly predicate: Predicate;
};
