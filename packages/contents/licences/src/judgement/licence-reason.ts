import { similarSpdxId } from '../spdx/spdx-list.ts';
import type { Judged, LicenceVerdict } from './licence-judge.ts';

/** Every reason for which a component's licence can be refused, the graver first. */
export const LICENCE_REASON_CODES = [
  /** A licence that the policy denies. */
  'licence.denied',
  /** A licence that is not on the allowed list. */
  'licence.not_allowed',
  /** The text beside what it states is, or holds, that of another licence. */
  'licence.text_contradicts',
  /** What it states is allowed, and the text beside it is that licence with words added or left out. */
  'licence.text_changed',
  /** What it states is allowed, and the package that it was made from is under a licence that is not. */
  'licence.source_not_allowed',
  /** What it states is allowed, and the text beside it is no known licence, or cannot be read. */
  'licence.text_unknown',
  /** A licence is stated that nobody can look up. */
  'licence.unknown',
  /** No licence is stated. */
  'licence.missing',
] as const;
export type LicenceReasonCode = (typeof LICENCE_REASON_CODES)[number];

/** Why a component is refused, in one sentence for a person that holds text from outside. */
export type LicenceReason = { readonly code: LicenceReasonCode; readonly message: string };

/** What a component says beside what it states: licences that were only observed. */
type ObservedComponent = { readonly evidence?: { readonly [name: string]: unknown } };

const MOST_GUESSES = 1000;

/** Says why components are refused. */
export class LicenceReasoner {
  readonly #similar = new Map<string, string | undefined>();

  /** `own`: what the component states; `ofSources`: what is stated for what it was made from. */
  reasonOf(
    worst: LicenceVerdict,
    own: readonly Judged[],
    ofSources: readonly Judged[],
    component: ObservedComponent,
  ): LicenceReason {
    const guilty = [...own, ...ofSources].filter(({ verdict }) => verdict === worst);
    const stated = own.filter(({ claim }) => claim.from !== 'nothing');
    if (worst === 'denied') return { code: 'licence.denied', message: `denied: ${names(guilty)}` };
    if (worst === 'not_allowed') {
      if (guilty.every(({ from }) => from === 'source')) {
        return {
          code: 'licence.source_not_allowed',
          message: `it was made from code under ${names(guilty)}, which is not allowed`,
        };
      }
      if (guilty.every(({ claim }) => claim.isContradiction)) {
        return {
          ...contradiction(own, guilty)!,
          message: `${contradiction(own, guilty)!.message}, which is not allowed`,
        };
      }
      if (isOnlyText(guilty, stated)) return changed(own, guilty);
      return { code: 'licence.not_allowed', message: `not on the allowed list: ${names(guilty)}` };
    }
    if (stated.length === 0) {
      const observed = component.evidence?.['licenses'];
      const found =
        Array.isArray(observed) && observed.length > 0 ? ', only some were observed (evidence.licenses)' : '';
      return { code: 'licence.missing', message: `no licence is stated${found}` };
    }
    if (guilty.every(({ claim }) => claim.additions !== undefined) && isOnlyText(guilty, stated))
      return changed(own, guilty);
    if (guilty.every(({ claim }) => claim.isUnrecognised === true) && isOnlyText(guilty, stated)) {
      return { code: 'licence.text_unknown', message: `beside ${besides(own)} stands ${names(guilty)}` };
    }
    const similar = guilty.map(({ claim }) => this.#similarTo(claim.stated)).find((id) => id !== undefined);
    const meant = similar === undefined ? '' : `; ${similar} may be meant`;
    return {
      code: 'licence.unknown',
      message: `no licence that SPDX lists: ${names(guilty) || 'what is stated'}${meant}`,
    };
  }

  /** A guess for a person costs a comparison with every id, so it is made once for each name, and not for thousands. */
  #similarTo(stated: string): string | undefined {
    if (!this.#similar.has(stated) && this.#similar.size < MOST_GUESSES)
      this.#similar.set(stated, similarSpdxId(stated));
    return this.#similar.get(stated);
  }
}

/** What a text says that is another licence than is stated; undefined where none does. */
export function contradiction(own: readonly Judged[], among: readonly Judged[] = own): LicenceReason | undefined {
  const others = among.filter(({ claim }) => claim.isContradiction);
  if (others.length === 0) return undefined;
  return {
    code: 'licence.text_contradicts',
    message: `the text beside ${besides(own)} is, or holds, that of ${names(others)}`,
  };
}

function changed(own: readonly Judged[], guilty: readonly Judged[]): LicenceReason {
  return { code: 'licence.text_changed', message: `the text beside ${besides(own) || 'it'} is ${names(guilty)}` };
}

/** Whether all that stands in the way was read from texts beside something that is stated. */
function isOnlyText(guilty: readonly Judged[], stated: readonly Judged[]): boolean {
  return (
    guilty.every(({ claim }) => claim.additions !== undefined || claim.isUnrecognised === true) && stated.length > 0
  );
}

function besides(own: readonly Judged[]): string {
  return names(own.filter(({ claim }) => claim.from !== 'text'));
}

const MOST_NAMED = 3;

function names(licences: readonly Judged[]): string {
  const all = [...new Set(licences.map(nameOf))].filter((name) => name !== '');
  const shown = all.slice(0, MOST_NAMED).join(', ');
  return all.length > MOST_NAMED ? `${shown} and ${all.length - MOST_NAMED} more` : shown;
}

function nameOf({ stated, means = stated, refused, claim }: Judged): string {
  if (claim.choice !== undefined || claim.additions !== undefined) return stated;
  const terms = claim.expression?.filter((part) => typeof part === 'object') ?? [];
  if (refused !== undefined && refused.length < terms.length)
    return `${refused.slice(0, MOST_NAMED).join(', ')} in ${means}`;
  return claim.from === 'name' && means !== stated && terms.length === 1 ? `${means} (“${stated}”)` : means;
}
