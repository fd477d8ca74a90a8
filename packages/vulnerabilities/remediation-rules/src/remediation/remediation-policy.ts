import { isEmailAddress } from '@colophon/records';
import type { SpeakerRule } from '@colophon/vex';
import { type RemediationIssue, remediationIssue } from './remediation-issue.ts';

/** From when on something must be known. */
export const REQUIRED_FROM = ['opening', 'closing', 'never'] as const;
export type RequiredFrom = (typeof REQUIRED_FROM)[number];

/** What an organisation demands of its records. */
export type RemediationPolicy = {
  readonly name: string;
  readonly owner: {
    readonly required: RequiredFrom;
    /** Domains of e-mail addresses in lower case; undefined allows every one. */
    readonly domains?: readonly string[];
  };
  readonly trackingId: {
    readonly required: RequiredFrom;
    /** What the whole id must look like, in the words of the policy. */
    readonly pattern?: string;
    matches(trackingId: string): boolean;
  };
  /** Who may say that something is not affected, by product; without it every person who signs may. */
  readonly authors?: readonly SpeakerRule[];
};

/**
 * What holds where nobody configured anything: a scan may open records before anybody is found who looks after them, but
 * nothing is closed without one.
 */
export const DEFAULT_REMEDIATION_POLICY: RemediationPolicy = {
  name: 'default',
  owner: { required: 'closing' },
  trackingId: { required: 'closing', matches: () => true },
};

/** Who looks after something, as far as it is known. */
export type Ownership = { readonly owner?: string | null | undefined; readonly trackingId?: string | null | undefined };

/** Everything that is wrong with an owner and a tracking id, or missing at this moment. */
export function ownershipIssues(
  { owner, trackingId }: Ownership,
  moment: 'opening' | 'closing' | 'update',
  policy: RemediationPolicy,
): readonly RemediationIssue[] {
  return [
    ...ownerIssues(owner ?? undefined, moment, policy),
    ...trackingIdIssues(trackingId ?? undefined, moment, policy),
  ];
}

function* ownerIssues(
  owner: string | undefined,
  moment: string,
  { owner: { required, domains }, name }: RemediationPolicy,
): Generator<RemediationIssue> {
  const path = '/owner';
  if (owner === undefined) {
    if (!isRequired(required, moment)) return;
    const message = `policy ${name} requires an owner from ${required} on`;
    const facts = { path, expected: 'an e-mail address', next: nextOf('--owner EMAIL', moment) };
    yield remediationIssue('remediation.owner_missing', message, facts);
    return;
  }
  if (!isEmailAddress(owner)) {
    yield remediationIssue('remediation.owner_invalid', 'the owner is no e-mail address', {
      path,
      expected: 'such as dana@example.com',
      found: owner,
    });
    return;
  }
  const domain = owner.slice(owner.lastIndexOf('@') + 1).toLowerCase();
  if (domains === undefined || domains.includes(domain)) return;
  yield remediationIssue('remediation.owner_not_allowed', `policy ${name} allows no owner of this domain`, {
    path,
    expected: domains.join(', '),
    found: domain,
  });
}

function* trackingIdIssues(
  trackingId: string | undefined,
  moment: string,
  { trackingId: rule, name }: RemediationPolicy,
): Generator<RemediationIssue> {
  const path = '/tracking_id';
  if (trackingId === undefined) {
    if (!isRequired(rule.required, moment)) return;
    const message = `policy ${name} requires a tracking id from ${rule.required} on`;
    const expected = rule.pattern ?? 'what the tracker calls it';
    const facts = { path, expected, next: nextOf('--tracking-id ID', moment) };
    yield remediationIssue('remediation.tracking_id_missing', message, facts);
    return;
  }
  if (isPlainText(trackingId) && rule.matches(trackingId)) return;
  yield remediationIssue('remediation.tracking_id_invalid', 'the tracking id does not have the form that it needs', {
    path,
    expected: rule.pattern ?? 'one line of at most 200 characters',
    found: trackingId.slice(0, 200),
  });
}

/** A record that is opened takes the flag itself; one that is closed has been updated before. */
function nextOf(flag: string, moment: string): string {
  return `colophon remediation ${moment === 'closing' ? 'update RECORD' : 'open --scan FILE'} ${flag}`;
}

function isRequired(required: RequiredFrom, moment: string): boolean {
  return required === 'opening' ? moment !== 'update' : required === 'closing' && moment === 'closing';
}

const MOST_CHARACTERS = 200;

/** One line with something in it to see. */
export function isPlainText(text: string): boolean {
  return (
    text.length <= MOST_CHARACTERS &&
    /[^\p{C}\p{Z}]/u.test(text) &&
    !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)
  );
}
