import type { CallerBook, IssuanceContext, Registry } from '@colophon/issuance';
import type { TrustedIssuer } from '@colophon/oidc';
import type { WitnessBook } from '../receipt/shown-receipt.ts';

/** What the operator has configured, at one moment: a request goes by one of these from its beginning to its end. */
export type IssuingRules = {
  /** `sha256:<hex>` of the configuration; stands in the ledger row of every token that was issued under it. */
  readonly hash: string;
  /** Whether callers are asked who they are; the same from the start of the issuer on. */
  readonly asksCallers: boolean;
  readonly callers: CallerBook;
  /** By exact issuer. */
  readonly trustedIssuers: ReadonlyMap<string, TrustedIssuer>;
  readonly registry: Registry;
  /** Whose receipts of agent runs count; nobody's where it is absent. */
  readonly witnesses?: WitnessBook | undefined;
} & Pick<IssuanceContext, 'requiredClaims' | 'requiredSources'>;
