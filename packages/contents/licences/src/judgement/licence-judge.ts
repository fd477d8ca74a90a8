import { type LicencePolicy, oneSpaced } from '../policy/licence-policy.ts';
import type { LicenceExpression } from '../spdx/licence-expression.ts';
import { allowsTerm, deniesTerm, type LicenceTerm } from '../spdx/licence-term.ts';
import type { LicenceClaim } from './licence-claim.ts';

/** How a licence stands against the policy. */
export type LicenceVerdict = 'allowed' | 'unknown' | 'not_allowed' | 'denied';

/** A licence of a component as the decision saw it. */
export type JudgedLicence = {
  readonly stated: string;
  /** In SPDX's terms, where that is not what is stated. */
  readonly means?: string;
  readonly from: LicenceClaim['from'] | 'source';
  readonly verdict: LicenceVerdict;
  /** Of an expression, the licences in it that stand in the way. */
  readonly refused?: readonly string[];
  /** Licences that share one text, where the text says no more. */
  readonly choice?: readonly string[];
  /** Of a text, the runs of words that the licences in it do not have, and those that are missing. */
  readonly additions?: readonly string[];
  readonly omissions?: readonly string[];
  readonly acknowledgement?: string;
  /** JSON Pointer. */
  readonly path: string;
};

/** The same with what the document states, which the reason is found in. */
export type Judged = JudgedLicence & { readonly claim: LicenceClaim };

const GRAVITY: readonly LicenceVerdict[] = ['allowed', 'unknown', 'not_allowed', 'denied'];
/** A person needs no more of one expression. */
const MOST_REFUSED_TERMS = 20;
const LONGEST_MEANING = 300;

/** Holds licences against a policy, each licence once however many components have it. */
export class LicenceJudge {
  readonly #policy: LicencePolicy;
  readonly #verdicts = new Map<string, LicenceVerdict>();
  readonly #allowedNames: ReadonlySet<string>;
  readonly #deniedNames: ReadonlySet<string>;

  constructor(policy: LicencePolicy) {
    this.#policy = policy;
    this.#allowedNames = new Set(policy.allow?.names);
    this.#deniedNames = new Set(policy.deny?.names.map((name) => name.toLowerCase()));
  }

  /** `from` says where the claim comes from, as a component's own or its source's. */
  judge(claim: LicenceClaim, from: JudgedLicence['from']): Judged {
    const { stated, expression, acknowledgement, choice, additions, omissions, path } = claim;
    const means = choice !== undefined ? choice.join(' / ') : expression && meaning(expression);
    const refused = expression === undefined || expression.length === 1 ? [] : this.#refusedTerms(expression);
    return {
      stated,
      ...(means === undefined || means === stated || additions !== undefined ? {} : { means }),
      from,
      verdict: this.#verdictOf(claim),
      ...(refused.length === 0 ? {} : { refused }),
      ...(choice === undefined ? {} : { choice }),
      ...(additions === undefined ? {} : { additions }),
      ...(omissions === undefined ? {} : { omissions }),
      ...(acknowledgement === undefined ? {} : { acknowledgement }),
      path,
      claim,
    };
  }

  #verdictOf(claim: LicenceClaim): LicenceVerdict {
    const verdict = this.#verdictAsNamed(claim);
    // A licence with a condition more is another one, which nobody allowed.
    const least: LicenceVerdict = this.#policy.allow === undefined ? 'unknown' : 'not_allowed';
    return claim.additions !== undefined && GRAVITY.indexOf(verdict) < GRAVITY.indexOf(least) ? least : verdict;
  }

  #verdictAsNamed({ name, expression, isKnownByText }: LicenceClaim): LicenceVerdict {
    if (name !== undefined && this.#deniedNames.has(oneSpaced(name).toLowerCase())) return 'denied';
    // A name is anybody's word: where its text is known, that one counts.
    if (name !== undefined && !isKnownByText && this.#allowedNames.has(oneSpaced(name))) return 'allowed';
    if (expression === undefined) return 'unknown';
    // AND is as bad as its worst side, OR as good as its best.
    const stack: number[] = [];
    for (const part of expression) {
      if (typeof part === 'object') stack.push(GRAVITY.indexOf(this.#verdictOfTerm(part)));
      else {
        const [right, left] = [stack.pop()!, stack.pop()!];
        stack.push(part === 'AND' ? Math.max(left, right) : Math.min(left, right));
      }
    }
    return GRAVITY[stack[0]!]!;
  }

  #refusedTerms(expression: LicenceExpression): string[] {
    const refused = new Set<string>();
    for (const part of expression) {
      if (typeof part === 'object' && this.#verdictOfTerm(part) !== 'allowed')
        refused.add(part.text.slice(0, LONGEST_MEANING));
      if (refused.size === MOST_REFUSED_TERMS) break;
    }
    return [...refused];
  }

  #verdictOfTerm(term: LicenceTerm): LicenceVerdict {
    const known = this.#verdicts.get(term.text);
    if (known !== undefined) return known;
    const { allow, deny } = this.#policy;
    const verdict = deny?.terms.some((entry) => deniesTerm(entry, term))
      ? 'denied'
      : allow?.terms.some((entry) => allowsTerm(entry, term))
        ? 'allowed'
        : term.kind === 'unknown'
          ? 'unknown'
          : allow !== undefined
            ? 'not_allowed'
            : // Nobody else knows what a reference stands for.
              term.kind === 'spdx'
              ? 'allowed'
              : 'unknown';
    this.#verdicts.set(term.text, verdict);
    return verdict;
  }
}

/** The gravest of the verdicts; of none, that nothing speaks against it. */
export function gravest(licences: readonly Judged[]): LicenceVerdict {
  return GRAVITY[licences.reduce((worst, { verdict }) => Math.max(worst, GRAVITY.indexOf(verdict)), 0)]!;
}

/** An expression in infix, with the parentheses that it needs; undefined where it is too long to be shown. */
function meaning(expression: LicenceExpression): string | undefined {
  const stack: Array<{ text: string; operator?: string }> = [];
  for (const part of expression) {
    if (typeof part === 'object') {
      stack.push({ text: part.text });
      continue;
    }
    const [right, left] = [stack.pop()!, stack.pop()!];
    const side = ({ text, operator }: { text: string; operator?: string }) =>
      part === 'AND' && operator === 'OR' ? `(${text})` : text;
    const text = `${side(left)} ${part} ${side(right)}`;
    if (text.length > LONGEST_MEANING) return undefined;
    stack.push({ text, operator: part });
  }
  const text = stack[0]?.text;
  return text !== undefined && text.length <= LONGEST_MEANING ? text : undefined;
}
