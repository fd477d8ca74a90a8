import type { Policy } from '../policy/policy.ts';
import { type AskedSignature, askedSignatures } from './asked-signature.ts';
import type { GenerateOptions } from './cluster-image-policy.ts';
import { gapComments, gapsOf } from './gaps.ts';
import type { GeneratedFile, GeneratedPolicy } from './generated-file.ts';
import { reviewRego } from './review-rego.ts';
import { servicesOf } from './trust-root.ts';
import { anchored, type WrittenIdentity } from './written-signers.ts';

const TARGET = 'cosign';
const REVIEW_REGO = 'review.rego';
const TRUSTED_ROOT = 'trusted_root.json';

/** What a shell, or a file in UTF-8, cannot hold as it is. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;
/** A pattern that matches nothing: the class without any character. */
const NOBODY: WrittenIdentity = { issuer: 'nobody', subjectRegExp: String.raw`[^\x{0}-\x{10FFFF}]` };

/**
 * A policy for cosign: a shell script that calls it for each signature that is asked for, until one of its signers is found,
 * with their keys, and what a review has to say. `trusted_root.json` lies beside them.
 * @throws GenerateError `generate.not_expressible`; TypeError for a policy that was not read from a file
 * @see contract §5.2, §5.3
 */
export function cosignLines(policy: Policy, options: GenerateOptions): GeneratedPolicy {
  const gaps = gapsOf(policy, TARGET);
  const asked = askedSignatures(policy);
  const content = `#!/bin/sh
${gapComments(policy, TARGET, gaps)}set -eu
image=\${1:?usage: verify.sh IMAGE@sha256:DIGEST}
case $image in
  *@sha256:*) ;;
  *) echo 'give the image by its digest: a tag may move between two questions' >&2 && exit 1 ;;
esac
cd -- "$(dirname -- "$0")"
${asked.map((one) => commands(one, options)).join('\n')}
`;
  return {
    files: [
      ...(asked.some(({ statement }) => statement?.isReview)
        ? [{ name: REVIEW_REGO, what: 'what a review has to say', content: reviewRego(policy, TARGET) }]
        : []),
      ...asked.flatMap(keyFiles),
      { name: 'verify.sh', what: 'sh verify.sh IMAGE@sha256:DIGEST ends with 0 where cosign accepts it', content },
    ],
    gaps,
  };
}

/** Of the signers of one signature, any will do. */
function commands(asked: AskedSignature, options: GenerateOptions): string {
  const { name, signers, statement } = asked;
  const isWritable = statement === undefined || !UNWRITABLE.test(statement.predicateType);
  const { identities, keys } = isWritable ? signers : { identities: [NOBODY], keys: [] };
  const flags = statement === undefined ? [] : [`--type=${word(statement.predicateType)}`];
  if (statement?.isReview) flags.push(`--policy=${REVIEW_REGO}`);
  const verb = statement === undefined ? 'verify' : 'verify-attestation';
  return [...identities.map(identityFlags), ...keys.map((_, index) => [`--key=${keyFile(name, index)}`])]
    .map((who) => command(verb, [...who, ...flags], options))
    .join(' ||\n');
}

function keyFiles({ name, signers }: AskedSignature): GeneratedFile[] {
  return signers.keys.map((content, index) => ({
    name: keyFile(name, index),
    what: `a public key for ${name}`,
    content,
  }));
}

function keyFile(name: string, index: number): string {
  return `${name}-key-${index + 1}.pub`;
}

function command(
  verb: string,
  flags: readonly string[],
  { trustedRoot, insecureIgnoreSct = false }: GenerateOptions,
): string {
  const ignoresSct = insecureIgnoreSct && !servicesOf(trustedRoot).hasCtLog;
  return [
    `cosign ${verb}`,
    `--trusted-root=${TRUSTED_ROOT}`,
    ...(ignoresSct ? ['--insecure-ignore-sct'] : []),
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
