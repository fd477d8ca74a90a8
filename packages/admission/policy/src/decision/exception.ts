import type { ExceptionRule, Policy } from '../policy/policy.ts';
import type { AdmissionReason, AdmissionReasonCode, Finding } from './reason.ts';
import { isExcused, shown, shownList } from './reason.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** An exception, as it is shown with what it lets pass. */
export type AppliedException = {
  readonly owner: string;
  readonly reason: string;
  /** RFC 3339 with Z. */
  readonly until: string;
  /** Codes of what is missing. */
  readonly excuses: readonly AdmissionReasonCode[];
};

/** The exception in force for an image that lasts longest; undefined where there is none, and without a time of now. */
export function exceptionInForce(
  { exceptions }: Policy,
  digest: string,
  nowSeconds = Number.NaN,
): ExceptionRule | undefined {
  return exceptions
    .filter((one) => one.digest === digest)
    .filter(({ from, until }) => timestampSeconds(from) <= nowSeconds && nowSeconds < timestampSeconds(until))
    .sort((one, other) => timestampSeconds(other.until) - timestampSeconds(one.until))[0];
}

/** An exception applied to what was found of an image; undefined where any of it is not excused. */
export function applyException(
  { owner, reason, until }: ExceptionRule,
  findings: readonly Finding[],
): AppliedException | undefined {
  if (!findings.every(({ code }) => isExcused(code))) return undefined;
  return { owner, reason, until, excuses: [...new Set(findings.map(({ code }) => code))] };
}

/** What is said of an image that passes by an exception. */
export function exceptionWarning({
  policy,
  exception,
}: {
  readonly policy: string;
  readonly exception?: AppliedException;
}): AdmissionReason[] {
  if (exception === undefined) return [];
  const { owner, reason, until, excuses } = exception;
  const message = 'The image passes by an exception of the policy, although evidence is missing.';
  const found = `until ${until}, by ${shown(owner)}: ${shown(reason)}; instead of ${shownList(excuses)}`;
  return [{ code: 'admission.exception', message, found, policy }];
}

/** Whether a policy has an exception in force for an image, whatever is known of the image; none without a time of now. */
export function hasException(policy: Policy, digest: string, nowSeconds: number | undefined): boolean {
  return exceptionInForce(policy, digest, nowSeconds) !== undefined;
}
