import { sampleSubjects } from '@colophon/policy-file/pattern-samples';
import { PROBE_AGENTS, PROBE_REVIEWERS } from '@colophon/policy-file/probe-subjects';
import { compileSubjectPattern } from '@colophon/policy-file/subject-pattern';
import { type CertificateIdentity, keyIdentity, LIST_RENEWAL_SECONDS } from '@colophon/records';
import { timestampSeconds } from '../decision/timestamp-seconds.ts';
import { coversEveryRegistry, globsOverlap, isLeftByTag, namesTag } from '../image/glob-overlap.ts';
import type { Policy, WrittenPolicy } from '../policy/policy.ts';
import type { PolicyFile } from '../policy/policy-schema.ts';
import { publicKeyName } from '../public-key/public-key.ts';
import { namedForNo } from './policy-sentences.ts';
import type { PolicyLintCode, PolicyWarning } from './policy-warning.ts';

/** How long a list may be on its way, on top of its age: below it a policy refuses from time to time. */
const LIST_ON_ITS_WAY_SECONDS = 60;

type Path = readonly (string | number)[];
type Authority = {
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  readonly subjectRegExp?: string | undefined;
  readonly key?: string | undefined;
};
type PlacedAuthority = { readonly authority: Authority; readonly path: Path };

/** What to know of a policy at a time, and beside the other policies that are asked with it; in the order of its file. */
export function policyWarnings(
  policy: Policy,
  written: WrittenPolicy,
  { others, nowSeconds }: { readonly others: readonly Policy[]; readonly nowSeconds: number },
): PolicyWarning[] {
  const { file } = written;
  const warnings: PolicyWarning[] = [];
  const note = (code: PolicyLintCode, path: Path, message: string, severity: PolicyWarning['severity'] = 'warning') =>
    warnings.push({ ...written.issueAt(path, code, message), severity });
  const all = [
    ...aboutMode(policy),
    ...aboutImages(policy),
    ...aboutTags(policy, others),
    ...aboutAgents(policy, file),
    ...aboutLegacy(policy, nowSeconds),
    ...aboutReview(policy, file),
    ...aboutConditions(policy),
    ...aboutRules(policy, file),
    ...aboutNegatives(policy),
    ...aboutExceptions(policy, nowSeconds),
  ];
  for (const [code, path, message] of all) note(code, path, message);
  for (const [code, path, message] of aboutOthers(policy, others)) note(code, path, message, 'note');
  const placeOf = ({ line = 0, column = 0 }: PolicyWarning) => [line, column] as const;
  return warnings.sort((one, other) => {
    const [a, b] = [placeOf(one), placeOf(other)];
    return a[0] - b[0] || a[1] - b[1];
  });
}

type Said = readonly [code: PolicyLintCode, path: Path, message: string];

function aboutMode({ mode, profile }: Policy): Said[] {
  const said: Said[] = [];
  if (mode === 'audit') said.push(['policy.lint_audit', ['mode'], 'this policy refuses nothing, it only warns']);
  if (profile === 'spec') {
    const message = 'the agents of this policy sign the review themselves, and a rejection alone refuses nothing';
    said.push(['policy.lint_profile_spec', ['profile'], message]);
  }
  return said;
}

function aboutImages({ images }: Policy): Said[] {
  return images.flatMap((glob, index): Said[] => {
    const path = ['images', index];
    const every: Said = ['policy.lint_every_registry', path, 'this covers images of every registry'];
    const message =
      'the tag beside a digest is whatever somebody writes: every digest of the repository can be named like this, ' +
      'and by its digest alone no image is covered';
    const tag: Said = ['policy.lint_tag_glob', path, message];
    return [...(coversEveryRegistry(glob) ? [every] : []), ...(namesTag(glob) ? [tag] : [])];
  });
}

/** Of policies that differ by tag over one repository, whoever writes the Pod chooses one. */
function aboutTags({ images }: Policy, others: readonly Policy[]): Said[] {
  return images.flatMap((glob, index): Said[] => {
    if (images.some((one) => !namesTag(one) && globsOverlap(one, glob))) return [];
    for (const { name, images: theirs } of others) {
      const left = theirs.find((one) => isLeftByTag(glob, one));
      if (left === undefined) continue;
      const message =
        `by another tag, or none, the same digest is covered by ${left.text} of ${name} and not by this: ` +
        'whoever writes the image chooses which policy decides';
      return [['policy.lint_tag_chooses', ['images', index], message]];
    }
    return [];
  });
}

function aboutAgents({ maker, sources }: Policy, file: PolicyFile): Said[] {
  if (maker.kind !== 'agent') return [];
  const said = authoritiesOf(file.agent, ['agent']).flatMap(({ authority, path }): Said[] => {
    if (authority.key !== undefined) {
      const message = 'a key certifies nothing: model, commit and policy pack are the word of the agent that holds it';
      return [['policy.lint_agent_key', [...path, 'key'], message]];
    }
    if (!acceptsAll(authority, PROBE_AGENTS)) return [];
    return [['policy.lint_any_agent', [...path, 'subjectRegExp'], `every agent of ${authority.issuer} is approved`]];
  });
  if (sources.size > 0) return said;
  const message = "every claim in the agent's certificate may be the agent's own word";
  return [...said, ['policy.lint_no_sources', ['sources'], message]];
}

function aboutLegacy({ maker }: Policy, nowSeconds: number): Said[] {
  if (maker.kind !== 'legacy') return [];
  const { until } = maker;
  if (until === undefined)
    return [['policy.lint_legacy_without_end', ['legacy'], 'these images need no signature, without end']];
  if (nowSeconds < timestampSeconds(until)) return [];
  return [
    ['policy.lint_legacy_over', ['legacy', 'until'], 'this time is over: every image that is covered is refused'],
  ];
}

function aboutReview({ review, profile }: Policy, { review: written = {} }: PolicyFile): Said[] {
  // Under spec no reviewer is asked for: the agents sign.
  // The domains of the people are said.
  if (!review.isRequired || profile === 'spec' || review.domains !== undefined) return [];
  if (written.subject === undefined && written.subjectRegExp === undefined && written.identities === undefined) {
    const message = `no reviewer is named: whoever ${review.identity.issuers.join(', ')} certifies as one may review`;
    return [['policy.lint_any_reviewer', ['review'], message]];
  }
  return authoritiesOf(written, ['review']).flatMap(({ authority, path }): Said[] => {
    if (acceptsAll(authority, PROBE_REVIEWERS)) {
      return [['policy.lint_any_reviewer', [...path, 'subjectRegExp'], 'this matches reviewers of every address']];
    }
    const stranger = strangerOf(authority);
    if (stranger === undefined) return [];
    return [
      ['policy.lint_any_domain', [...path, 'subjectRegExp'], `this matches ${stranger}, whose domain is anybody's`],
    ];
  });
}

/** An address of a domain that a stranger can have, and that a pattern takes all the same. */
function strangerOf({ subjectRegExp = '' }: Authority): string | undefined {
  const compiled = compileSubjectPattern(subjectRegExp);
  if (!compiled.ok) return undefined;
  return sampleSubjects(subjectRegExp)
    .filter((subject) => subject.includes('@'))
    .flatMap((subject) => {
      const at = subject.lastIndexOf('@') + 1;
      return strangersDomains(subject.slice(at)).map((domain) => subject.slice(0, at) + domain);
    })
    .find((subject) => compiled.matches(subject));
}

/** Domains that are neither one nor below it: any other, and one that ends alike. */
function strangersDomains(domain: string): string[] {
  return ['zqxjkv.invalid', `zqxjkv${domain.split('.').slice(-2).join('.')}`];
}

function aboutConditions({ review }: Policy): Said[] {
  return review.conditions.flatMap(({ unknownMembers }, index): Said[] => {
    if (unknownMembers.length === 0) return [];
    const message = `nothing ever has ${unknownMembers.join(', ')}, so a comparison with it never holds`;
    return [['policy.lint_condition_member', ['review', 'conditions', index], message]];
  });
}

function aboutRules(policy: Policy, file: PolicyFile): Said[] {
  const { provenance, require, agent } = policy;
  const said: Said[] = [];
  if (provenance !== undefined && provenance.sourceRepository === undefined) {
    const message = 'the build runner may have built any repository';
    said.push(['policy.lint_provenance_repository', ['provenance'], message]);
  }
  const agents = authoritiesOf(file.agent, ['agent']).flatMap(({ authority }) => samplesOf(authority));
  require.forEach(({ identity }, index) => {
    const required = samplesOf(file.require?.[index] ?? {});
    const both = [...agents, ...required].find((one) => agent.accepts(one) && identity.accepts(one));
    if (both === undefined) return;
    const message = `${both.subject} is an approved agent, and meets this rule by its own signature`;
    said.push(['policy.lint_agent_required', ['require', index], message]);
  });
  return said;
}

function aboutNegatives(policy: Policy): Said[] {
  const { negatives } = policy;
  const said: Said[] = [];
  if (negatives === 'none') {
    const message = 'a rejection that is removed from the registry is forgotten';
    said.push(['policy.lint_registry_only', ['negatives'], message]);
  } else if (negatives !== undefined) {
    const least = LIST_RENEWAL_SECONDS + LIST_ON_ITS_WAY_SECONDS;
    const message = `a list is signed again after ${LIST_RENEWAL_SECONDS} s: with less than ${least} s images are refused at times`;
    if (negatives.maxAgeSeconds < least) said.push(['policy.lint_list_age', ['negatives', 'maxAge'], message]);
  }
  // That of a policy under spec is said of its profile.
  if (policy.profile === 'strict' && namedForNo(policy).length === 0) {
    said.push(['policy.lint_no_rejections', [], 'no rejection counts, since nobody is named whose it would be']);
  }
  return said;
}

function aboutExceptions({ exceptions }: Policy, nowSeconds: number): Said[] {
  return exceptions.flatMap(({ from, until, digest }, index): Said[] => {
    const path = ['exceptions', index];
    if (nowSeconds >= timestampSeconds(until)) return [['policy.lint_exception_over', path, `it ended at ${until}`]];
    if (nowSeconds < timestampSeconds(from)) return [];
    const message = `${digest} passes although evidence is missing, until ${until}`;
    return [['policy.lint_exception_in_force', path, message]];
  });
}

/** Of two policies the one that asks for less says so: it lets nothing in that the other refuses. */
function aboutOthers(policy: Policy, others: readonly Policy[]): Said[] {
  const lax = laxBecause(policy);
  if (lax === undefined) return [];
  return others.flatMap((other) =>
    policy.images.flatMap((glob, index): Said[] => {
      const overlapping = other.images.find((one) => globsOverlap(glob, one));
      if (overlapping === undefined) return [];
      const message =
        `this policy ${lax}, and ${overlapping.text} of ${other.name} covers images of it too: ` +
        'both have to admit such an image';
      return [['policy.lint_policies_overlap', ['images', index], message]];
    }),
  );
}

function laxBecause({ mode, profile, maker, review }: Policy): string | undefined {
  if (mode === 'audit') return 'only warns';
  if (profile === 'spec') return 'takes reviews from agents';
  if (maker.kind === 'legacy') return 'asks for no signature';
  return review.isRequired ? undefined : 'asks for no review';
}

/** The one authority of a rule, or each of several. */
function authoritiesOf(
  rule: (Authority & { readonly identities?: readonly Authority[] | undefined }) | undefined,
  path: Path,
): PlacedAuthority[] {
  if (rule === undefined) return [];
  if (rule.identities === undefined) return [{ authority: rule, path }];
  return rule.identities.map((authority, index) => ({ authority, path: [...path, 'identities', index] }));
}

function acceptsAll({ subjectRegExp }: Authority, subjects: readonly string[]): boolean {
  const compiled = subjectRegExp === undefined ? undefined : compileSubjectPattern(subjectRegExp);
  return compiled?.ok === true && subjects.every((subject) => compiled.matches(subject));
}

/** Some identities that an authority accepts. */
function samplesOf({ issuer, subject, subjectRegExp, key }: Authority): CertificateIdentity[] {
  if (key !== undefined) return [keyIdentity(publicKeyName(key) ?? '')];
  const subjects = subject === undefined ? sampleSubjects(subjectRegExp ?? '') : [subject];
  return subjects.map((one) => ({ issuer: issuer ?? '', subject: one, claims: {}, sources: {} }));
}
