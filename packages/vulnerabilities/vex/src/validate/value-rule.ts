import { isJsonObject, type JsonValue } from '@colophon/json';
import { faultOfPackageUrl } from '@colophon/notation/package-url-fault';
import { isPurl } from '../purl-version/purl-version.ts';
import { below, type Place } from '../read/place.ts';
import { quoted } from '../read/vex-reading.ts';
import { compareTimes, isRfc3339, normaliseTime } from '../vex-time/vex-time.ts';
import { contentKey } from '../write/content-key.ts';
import { isIri } from '../write/openvex-writer.ts';
import { nearestOf } from './nearest-word.ts';
import type { VexFaults, VexSeverity } from './vex-fault.ts';

/** What a value has to be. */
export type ValueRule = (value: JsonValue, place: Place | undefined, context: RuleContext) => void;
/** @property at the time that it is, as RFC 3339; without it nothing is in the future */
export type RuleContext = { readonly faults: VexFaults; readonly at: string | undefined };

/** An object: its members, those that have to be there, one of which has to be there, and how bad others are. */
export type ObjectRule = {
  readonly members: Readonly<Record<string, ValueRule>>;
  readonly required: readonly string[];
  readonly oneOf?: readonly string[];
  readonly others: VexSeverity;
};

/** Members one by one, then what is missing; names are looked up as own members of the rule alone. */
export function object({ members, required, oneOf = [], others }: ObjectRule): ValueRule {
  const names = Object.keys(members);
  const anyOf = oneOf.map((name) => `"${name}"`).join(' or ');
  return (value, place, context) => {
    if (!isJsonObject(value)) return typeFault(context, place, 'an object');
    for (const name of required)
      if (!Object.hasOwn(value, name))
        context.faults.error(place, 'vex.field_missing', `"${name}" is missing.`, `"${name}"`);
    if (oneOf.length > 0 && !oneOf.some((name) => Object.hasOwn(value, name)))
      context.faults.error(place, 'vex.field_missing', `One of ${oneOf.join(', ')} is required.`, anyOf);
    for (const name of Object.keys(value)) {
      const rule = Object.hasOwn(members, name) ? members[name] : undefined;
      if (rule !== undefined) rule(value[name] as JsonValue, below(place, name), context);
      else {
        const meant = nearestOf(names, name);
        context.faults.add(others, below(place, name), {
          code: 'vex.field_unknown',
          message: `No member is called "${quoted(name)}" here.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
          expected: meant ?? names.join(', '),
        });
      }
    }
  };
}

export function listOf(rule: ValueRule, isEmptyAllowed = false): ValueRule {
  return (value, place, context) => {
    if (!Array.isArray(value)) return typeFault(context, place, 'an array');
    if (value.length === 0 && !isEmptyAllowed)
      context.faults.error(place, 'vex.field_empty', 'The list is empty.', 'at least one entry');
    value.forEach((item, index) => {
      rule(item as JsonValue, below(place, index), context);
    });
  };
}

/** As `listOf`, with no entry that is there twice, in whatever order its members are. */
export function setOf(rule: ValueRule, isEmptyAllowed = false): ValueRule {
  const list = listOf(rule, isEmptyAllowed);
  return (value, place, context) => {
    list(value, place, context);
    if (!Array.isArray(value) || value.length < 2) return;
    const seen = new Map<string, number>();
    for (const [index, item] of value.entries()) {
      const content = contentKey(item as JsonValue);
      const before = seen.get(content);
      if (before === undefined) seen.set(content, index);
      else
        context.faults.error(
          below(place, index),
          'vex.entry_repeated',
          `The list already has this entry at ${before}.`,
          'every entry once',
        );
    }
  };
}

/** A map of texts whose names are of a list. */
export function textsBy(names: readonly string[]): ValueRule {
  return object({ members: Object.fromEntries(names.map((name) => [name, text])), required: [], others: 'error' });
}

/** A text; an empty one says nothing, and the standard does not forbid it. */
export const text: ValueRule = (value, place, context) => textRule(value, place, context, 'warning');

/** A text that says something. */
export const filledText: ValueRule = (value, place, context) => textRule(value, place, context, 'error');

function textRule(value: JsonValue, place: Place | undefined, context: RuleContext, severity: VexSeverity): void {
  if (typeof value !== 'string') typeFault(context, place, 'a string');
  else if (value.trim() === '')
    context.faults.add(severity, place, { code: 'vex.field_empty', message: 'The text is empty.', expected: 'a text' });
}

export function oneOf(
  words: readonly string[],
  code: 'vex.status_unknown' | 'vex.justification_unknown' | 'vex.version_unsupported',
  thing: string,
): ValueRule {
  return (value, place, context) => {
    if (typeof value !== 'string') return typeFault(context, place, 'a string');
    if (words.includes(value)) return;
    const meant = nearestOf(words, value);
    const hint = meant === undefined || words.length === 1 ? '' : ` Did you mean "${meant}"?`;
    context.faults.error(place, code, `"${quoted(value)}" is no ${thing}.${hint}`, words.join(', '));
  };
}

export function wholeNumber(least: number): ValueRule {
  return (value, place, context) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
      typeFault(context, place, `an integer of at least ${least}`);
  };
}

/** A time at any offset. */
export const time: ValueRule = (value, place, context) => timeRule(value, place, context, isRfc3339);

/** A time in UTC, as the contract writes times. */
export const timeInUtc: ValueRule = (value, place, context) =>
  timeRule(value, place, context, (written) => written.endsWith('Z') && isRfc3339(written));

function timeRule(
  value: JsonValue,
  place: Place | undefined,
  context: RuleContext,
  isWritten: (written: string) => boolean,
): void {
  const { faults, at } = context;
  if (typeof value !== 'string') {
    typeFault(context, place, 'a string');
    return;
  }
  const normal = normaliseTime(value);
  if (normal === undefined || !isWritten(value)) {
    const message = `"${quoted(value)}" is not a time in the required form.`;
    faults.error(place, 'vex.timestamp_invalid', message, 'RFC 3339, e.g. 2026-11-21T12:00:00Z');
  } else if (at !== undefined && compareTimes(normal, at) > 0) {
    faults.error(place, 'vex.timestamp_future', `${value} is in the future: it is ${at}.`, 'a time in the past');
  }
}

/** An id of the document or a statement: an IRI. */
export const iri: ValueRule = (value, place, context) => {
  if (typeof value !== 'string') return typeFault(context, place, 'a string');
  if (!isIri(value))
    context.faults.error(place, 'vex.id_not_iri', `"${quoted(value)}" is no IRI.`, 'e.g. https://example.com/vex/1');
};

/** An id of a product: an IRI, most often a package URL; scanners take names of images, too, so others are warned of. */
export const productId: ValueRule = (value, place, context) => {
  if (typeof value !== 'string') return typeFault(context, place, 'a string');
  if (isPurl(value)) return packageUrl(value, place, context);
  if (isIri(value)) return;
  context.faults.add('warning', place, {
    code: 'vex.id_not_iri',
    message: `"${quoted(value)}" is no IRI, so it cannot be told from another product of this name.`,
    expected: 'a package URL, e.g. pkg:npm/left-pad@1.3.0',
  });
};

export const packageUrl: ValueRule = (value, place, context) => {
  if (typeof value !== 'string') return typeFault(context, place, 'a string');
  const fault = faultOfPackageUrl(value);
  if (fault !== undefined)
    context.faults.error(
      place,
      'vex.purl_invalid',
      `"${quoted(value)}" is no package URL: ${fault}.`,
      'pkg:type/namespace/name@version?qualifiers#subpath',
    );
};

function typeFault({ faults }: RuleContext, place: Place | undefined, expected: string): void {
  faults.error(place, 'vex.field_type', 'The value has the wrong type.', expected);
}
