import { agentReviewType } from '@colophon/records';
import type { Policy } from '../policy/policy.ts';
import { fileOf } from './asked-signature.ts';
import { type GapEntry, KEY_GAPS, LOST_WITH_ALL_BELOW, RULE_GAPS } from './gap-table.ts';
import type { Gap, Target } from './generated-file.ts';

/** What of this policy the other language does not say; first what lets more pass. A key that nobody knows is such a thing too. */
export function gapsOf(policy: Policy, target: Target): readonly Gap[] {
  const isReviewed = policy.review.isRequired || policy.require.length > 0;
  const ofKeys = [...writtenKeys(fileOf(policy))].flatMap(([key, value]) => {
    const row = rowOf(key);
    if (row === undefined) return [{ key, effect: 'admits', what: 'the key is not written down' } as const];
    return (KEY_GAPS[row] as readonly GapEntry[]).filter(applies(value)).map((entry) => gap(row, entry));
  });
  const ofRules = Object.entries(RULE_GAPS).flatMap(([key, entries]) =>
    entries.filter(applies(undefined)).map((entry) => gap(key, entry)),
  );
  const all = [...ofRules, ...ofKeys, ...otherTypes(policy)];
  const once = [...new Map(all.map((one) => [`${one.key} ${one.what}`, one])).values()];
  return [...once.filter(({ effect }) => effect === 'admits'), ...once.filter(({ effect }) => effect === 'refuses')];

  function applies(value: unknown) {
    return (entry: GapEntry): boolean =>
      (entry.to ?? target) === target &&
      (entry.profile ?? policy.profile) === policy.profile &&
      (entry.maker ?? policy.maker.kind) === policy.maker.kind &&
      (entry.reviewed ?? isReviewed) === isReviewed &&
      (entry.value === undefined || entry.value === value);
  }
}

/** The row of the table that speaks for a key: its own, or that of a key above it of which all is lost. */
export function rowOf(key: string): string | undefined {
  if (Object.hasOwn(KEY_GAPS, key)) return key;
  return [...LOST_WITH_ALL_BELOW].find((above) => key.startsWith(`${above}.`));
}

function gap(key: string, { effect, what }: GapEntry): Gap {
  return { key, effect, what };
}

/** The keys that a file has, those of items of a list without their place, each with its value; and each key above another. */
function writtenKeys(value: unknown, above = ''): Map<string, unknown> {
  const items = Array.isArray(value) ? value : [value];
  const keys = new Map<string, unknown>();
  for (const item of items.filter(isMap)) {
    for (const [name, member] of Object.entries(item as object)) {
      const key = above === '' ? name : `${above}.${name}`;
      const below = writtenKeys(member, key);
      // A map without a row of its own is there for what is in it.
      if (Object.hasOwn(KEY_GAPS, key) || (below.size === 0 && !isMap(member))) keys.set(key, member);
      for (const [deeper, found] of below) keys.set(deeper, found);
    }
  }
  return keys;
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a policy names no type, reviews of two types may count: under the base of today, and under the one from before. */
function otherTypes(policy: Policy): Gap[] {
  const { review } = policy;
  const other = agentReviewType();
  const isNamed = fileOf(policy).review?.predicateType !== undefined;
  if (!review.isRequired || isNamed || !review.isReview(other) || other === review.predicateType) return [];
  return [{ key: 'review', effect: 'refuses', what: `reviews of type ${other} do not count` }];
}

/** The head of a generated file: from which policy it is, and what it does not say. */
export function gapComments(policy: Policy, target: Target, gaps: readonly Gap[]): string {
  const of = (effect: Gap['effect']) => gaps.filter((one) => one.effect === effect);
  const lines = [
    `From the policy ${printable(policy.name)}, for ${target}, by colophon admission generate.`,
    ...section(`What colophon admit refuses and ${target} may admit:`, of('admits')),
    ...section(`What colophon admit admits and ${target} may refuse:`, of('refuses')),
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}

function section(title: string, gaps: readonly Gap[]): string[] {
  return gaps.length === 0 ? [] : [title, ...gaps.map(({ key, what }) => `- ${key}: ${printable(what)}`)];
}

/** In a comment, a line break would end it. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?');
}
