import { EMAIL_ADDRESS_PATTERN, LONGEST_EMAIL_ADDRESS } from '@colophon/records';
import type { Policy } from '../policy/policy.ts';
import type { Target } from './generated-file.ts';

/** Which package and rule each program asks for. */
const ENTRY = {
  'policy-controller': { package: 'sigstore', rule: 'isCompliant' },
  cosign: { package: 'signature', rule: 'allow' },
} as const satisfies Record<Target, object>;

/** Characters before the `@`, at most. */
const LONGEST_LOCAL_PART = 64;
const TIMESTAMP = String.raw`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$`;

/** A module with one rule, which holds where all of `conditions` do. */
export function regoModule(target: Target, conditions: readonly string[], rules: readonly string[] = []): string {
  const { package: name, rule } = ENTRY[target];
  const body = conditions.map((condition) => `\t${condition}`).join('\n');
  const head = `package ${name}\n\nimport rego.v1\n\ndefault ${rule} := false\n\n${rule} if {\n${body}\n}\n`;
  return [head, ...rules.map((one) => `${one}\n`)].join('\n');
}

/**
 * What a review has to say, in Rego: the same module for whoever signed it. Strict: an address, a time, and no decision but
 * `approved`. `spec`: both fields are text, and not blank.
 * @see contract §2.4, §5.3
 */
export function reviewRego({ profile, review }: Policy, target: Target): string {
  const least = review.minDurationSeconds;
  const duration =
    least === undefined
      ? []
      : [
          'is_number(input.predicate.review_duration_seconds)',
          `input.predicate.review_duration_seconds >= ${String(least)}`,
        ];
  if (profile === 'spec') {
    return regoModule(target, ['filled("human_reviewer")', 'filled("review_timestamp")', ...duration], [FILLED]);
  }
  const domains = review.domains?.folded;
  return regoModule(
    target,
    [
      'is_address(input.predicate.human_reviewer)',
      ...(domains === undefined ? [] : ['is_of_domain(input.predicate.human_reviewer)']),
      'is_time(input.predicate.review_timestamp)',
      'object.get(input.predicate, "decision", "approved") == "approved"',
      ...duration,
    ],
    [ADDRESS, ...(domains === undefined ? [] : [domainRule(domains)]), TIME],
  );
}

// A comparison with "" alone would let null pass.
const FILLED = `# Text that is not blank: trim_space takes off what Unicode calls white space, and nothing else.
filled(field) if {
	value := input.predicate[field]
	is_string(value)
	trim_space(value) != ""
}`;

const ADDRESS = `# Text, and an e-mail address: neither empty nor blank.
is_address(value) if {
	is_string(value)
	count(value) <= ${LONGEST_EMAIL_ADDRESS}
	indexof(value, "@") <= ${LONGEST_LOCAL_PART}
	regex.match(\`${EMAIL_ADDRESS_PATTERN}\`, value)
}`;

/** `*.` stands for one label. */
function domainRule(domains: readonly string[]): string {
  const patterns = domains.map((one) => one.replaceAll('.', '[.]').replace('*', '[^.@]+'));
  return `# An address of one of the domains, exactly or one label below.
is_of_domain(value) if regex.match(\`@(${patterns.join('|')})$\`, lower(value))`;
}

const TIME = `# Text, and a time of RFC 3339 in UTC, on a day that there is.
is_time(value) if {
	is_string(value)
	regex.match(\`${TIMESTAMP}\`, value)
	time.parse_rfc3339_ns(value)
}`;
