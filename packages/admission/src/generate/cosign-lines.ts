import type { WrittenPolicy } from '../policy/policy.ts';
import { type GenerateOptions, reviewerOf } from './cluster-image-policy.ts';
import { gapComments, gapsOf } from './gaps.ts';
import type { GeneratedPolicy } from './generated-file.ts';
import { reviewRego } from './review-rego.ts';
import { servicesOf } from './trust-root.ts';
import { anchored, type WrittenIdentity } from './written-identity.ts';

const TARGET = 'cosign';
const REVIEW_REGO = 'review.rego';
const TRUSTED_ROOT = 'trusted_root.json';

/** What a shell, or a file in UTF-8, cannot hold as it is. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;
/** A pattern that matches nothing: the class without any character. */
const NOBODY: WrittenIdentity = { issuer: 'nobody', subjectRegExp: String.raw`[^\x{0}-\x{10FFFF}]` };

/**
 * A policy for cosign: a shell script that calls it for each identity that has to have signed, and what a review has to say.
 * `trusted_root.json` lies beside them.
 * @see contract §5.2, §5.3
 */
export function cosignLines(policy: WrittenPolicy, options: GenerateOptions): GeneratedPolicy {
  const gaps = gapsOf(policy, TARGET);
  const content = `#!/bin/sh
${gapComments(policy, TARGET, gaps)}set -eu
image=\${1:?usage: verify.sh IMAGE@sha256:DIGEST}
case $image in
  *@sha256:*) ;;
  *) echo 'give the image by its digest: a tag may move between two questions' >&2 && exit 1 ;;
esac
cd -- "$(dirname -- "$0")"
${commands(policy, options).join('\n')}
`;
  return {
    files: [
      { name: REVIEW_REGO, what: 'what a review has to say', content: reviewRego(policy, TARGET) },
      { name: 'verify.sh', what: 'sh verify.sh IMAGE@sha256:DIGEST ends with 0 where cosign accepts it', content },
    ],
    gaps,
  };
}

function commands(policy: WrittenPolicy, options: GenerateOptions): string[] {
  const { agent, review = {}, require = [] } = policy.written;
  const verify = (identity: WrittenIdentity) => command('verify', identity, options, []);
  const attested = (identity: WrittenIdentity, type: string, isReview: boolean) =>
    command('verify-attestation', UNWRITABLE.test(type) ? NOBODY : identity, options, [
      `--type=${word(type)}`,
      ...(isReview ? [`--policy=${REVIEW_REGO}`] : []),
    ]);
  const { predicateType, isReview } = policy.review;
  const reviewed =
    policy.profile === 'spec'
      ? [attested(agent, predicateType, true)]
      : [verify(agent), attested(reviewerOf(agent.issuer, review), predicateType, true)];
  const required = require.map((rule) =>
    rule.predicateType === undefined ? verify(rule) : attested(rule, rule.predicateType, isReview(rule.predicateType)),
  );
  return [...reviewed, ...required];
}

function command(
  name: string,
  identity: WrittenIdentity,
  { trustedRoot, insecureIgnoreSct = false }: GenerateOptions,
  flags: readonly string[],
): string {
  const ignoresSct = insecureIgnoreSct && !servicesOf(trustedRoot).hasCtLog;
  return [
    `cosign ${name}`,
    `--trusted-root=${TRUSTED_ROOT}`,
    ...(ignoresSct ? ['--insecure-ignore-sct'] : []),
    ...identityFlags(identity),
    ...flags,
    '-- "$image"',
  ].join(' \\\n  ');
}

/** A text in which a character went missing would be another one, so its rule becomes one that nobody meets. */
function identityFlags(identity: WrittenIdentity): string[] {
  const isWritable = [identity.issuer, identity.subject ?? '', identity.subjectRegExp ?? ''].every(
    (text) => !UNWRITABLE.test(text),
  );
  const { issuer, subject = '', subjectRegExp } = isWritable ? identity : NOBODY;
  const who =
    subjectRegExp === undefined
      ? `--certificate-identity=${word(subject)}`
      : `--certificate-identity-regexp=${word(anchored(subjectRegExp))}`;
  return [who, `--certificate-oidc-issuer=${word(issuer)}`];
}

/** One word of a POSIX shell, whatever is in it. */
function word(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
