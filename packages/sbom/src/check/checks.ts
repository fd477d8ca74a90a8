import type { Bom } from '../document/bom.ts';
import type { Profile } from '../schema/official-schema.ts';
import type { Finding } from '../validate/bom-issue.ts';

export type CheckOptions = {
  /** The namespace of variant B's properties; default `vendor`. */
  readonly namespace?: string;
};

/** What the schema cannot see. */
export function* checksOf(_bom: Bom, _options: CheckOptions & { readonly profile: Profile }): Generator<Finding> {}
