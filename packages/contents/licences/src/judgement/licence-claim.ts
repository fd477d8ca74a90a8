import { type LicenceExpression, parseLicenceExpression } from '../spdx/licence-expression.ts';
import { licenceTerm } from '../spdx/licence-term.ts';
import { spdxIdOfName } from '../spdx/spdx-list.ts';
import type { FoundLicence, IdentifiedText } from '../text/identified-text.ts';
import { type LicenceTexts, readLicenceText } from '../text/licence-text.ts';
import type { LicenseChoice } from './license-choice.ts';

/** One licence that a document states for a component, and what can be made of it. */
export type LicenceClaim = {
  /** As the document says it, cut to a line; of a text, what it is recognised as. */
  readonly stated: string;
  readonly from: 'id' | 'expression' | 'name' | 'text' | 'nothing';
  /** What it means in SPDX's terms; absent where it cannot be understood. */
  readonly expression?: LicenceExpression;
  /** The name in full, as a policy may list it. */
  readonly name?: string;
  /** Nobody lists the name, and what it means was read from the text beside it. */
  readonly isKnownByText?: boolean;
  /** The text beside it is, or holds, that of other licences than it names. */
  readonly isContradiction?: boolean;
  /** A text that several licences share: which of them is meant, it does not say. */
  readonly choice?: readonly string[];
  /** What a text has and lacks beside the licences that it names, in runs of words; such a text is none of them. */
  readonly additions?: readonly string[];
  readonly omissions?: readonly string[];
  /** Of a text that is no known licence, or cannot be read, why it says nothing. */
  readonly isUnrecognised?: boolean;
  readonly acknowledgement?: string;
  /** JSON Pointer. */
  readonly path: string;
};

/** What is read of a component. */
type LicensedComponent = { readonly licenses?: readonly LicenseChoice[] };

const LONGEST_STATED = 200;
/**
 * Reads what documents state about licences: ids, expressions, names and texts, each into what it means. What it has
 * understood once it remembers, as thousands of components share a handful of licences.
 */
export class LicenceReader {
  readonly #texts: LicenceTexts | undefined;
  readonly #understood = new Map<string, LicenceExpression | undefined>();
  readonly #identified = new Map<string, IdentifiedText & { readonly unreadable?: string }>();
  readonly #read = new Map<object, LicenceClaim[]>();

  /** Without `texts`, a licence's text is passed over. */
  constructor(texts?: LicenceTexts) {
    this.#texts = texts;
  }

  /** Every licence that a component states, at its place. Never throws, whatever stands there. */
  claimsOf(component: LicensedComponent, path: string): LicenceClaim[] {
    const { licenses } = component;
    if (!Array.isArray(licenses)) return [];
    // A package that many components were made from is read once.
    const known = this.#read.get(component);
    if (known !== undefined) return known;
    const claims = licenses.flatMap((entry, index) => this.#claimsOfEntry(entry, `${path}/licenses/${index}`));
    this.#read.set(component, claims);
    return claims;
  }

  #claimsOfEntry(entry: LicenseChoice | null, path: string): LicenceClaim[] {
    const { license, expression } = entry ?? {};
    const stated: LicenceClaim[] = [];
    if (typeof expression === 'string') stated.push(this.#stated('expression', expression, `${path}/expression`));
    const from = typeof license?.id === 'string' ? 'id' : 'name';
    const named = license?.[from];
    if (typeof named === 'string' && named.trim() !== '') {
      stated.push(this.#stated(from, named, `${path}/license/${from}`));
    }
    const texts: EntryText[] = [{ text: license?.text, path: `${path}/license/text` }, ...expressionTexts(entry, path)];
    const claims = texts.reduce((all, one) => this.#withText(all, one), stated);
    const acknowledgement = license?.acknowledgement ?? entry?.acknowledgement;
    if (claims.length === 0) claims.push({ stated: '', from: 'nothing', path });
    return typeof acknowledgement === 'string' ? claims.map((claim) => ({ ...claim, acknowledgement })) : claims;
  }

  #stated(from: 'id' | 'expression' | 'name', text: string, path: string): LicenceClaim {
    const expression = this.#understand(text);
    return {
      stated: shown(text),
      from,
      ...(from === 'name' ? { name: text } : {}),
      ...(expression === undefined ? {} : { expression }),
      path,
    };
  }

  /** The claims with what a text adds: what an unlisted name means, or what else than is stated it says. */
  #withText(claims: readonly LicenceClaim[], { text, path, identifier }: EntryText): LicenceClaim[] {
    const identified = this.#identify(text);
    if (identified === undefined) return [...claims];
    const { is, licences, additions, unreadable } = identified;
    const all = claims.flatMap(({ expression = [] }) => expression.filter((part) => typeof part === 'object'));
    // Of `MIT OR LicenseRef-X` a text says which side it belongs to.
    const meant = identifier === undefined ? [] : (this.#understand(identifier) ?? []);
    const own = all.filter(({ base }) => meant.some((part) => typeof part === 'object' && part.base === base));
    const named = own.length > 0 ? own : all;
    const isStated = named.some(({ kind }) => kind !== 'unknown');
    const isAmong = (ids: readonly string[]) =>
      ids.some((id) => named.some((term) => term.kind !== 'unknown' && term.base === licenceTerm(id).base));
    const [claim, ...rest] = claims;
    if (!isStated && is !== undefined) {
      const means = { expression: conjunction(is), ...(is.length > 1 ? { choice: is } : {}) };
      if (claim === undefined) return [{ stated: is.join(' / '), from: 'text', ...means, path }];
      return [{ ...claim, ...means, isKnownByText: true }, ...rest];
    }
    if (is !== undefined && isAmong(is)) return [...claims];
    // A reference stands for a text that nobody else has; only that of a licence that is known contradicts it.
    const isReference = named.some(({ kind }) => kind === 'reference');
    if (licences.length === 0) {
      const saysNothing = additions.length === 0 && unreadable === undefined;
      if (saysNothing || isReference) return [...claims];
      const what =
        unreadable === undefined
          ? `a text that is no known licence: “${additions[0]}”`
          : `a text that is ${unreadable}`;
      // Beside a name that nobody lists, nothing was known before either.
      return isStated || claim === undefined
        ? [...claims, { stated: shown(what), from: 'text', isUnrecognised: true, path }]
        : [...claims];
    }
    const judged = isReference ? withoutChanges(identified) : identified;
    return [...claims, ...this.#claimsOfText(judged, isStated, isAmong, path)];
  }

  /** What a text says that is more or something else than the one licence that is stated. */
  #claimsOfText(
    { licences, additions }: IdentifiedText,
    isStated: boolean,
    isAmong: (ids: readonly string[]) => boolean,
    path: string,
  ): LicenceClaim[] {
    const [only, ...others] = distinct(licences);
    // What stands around a single licence is taken for an addition to it.
    const found =
      others.length === 0 ? [{ ...only!, additions: [...only!.additions, ...additions] }] : [only!, ...others];
    const claims = found.flatMap(({ ids, additions, omissions }): LicenceClaim[] => {
      const isChanged = additions.length + omissions.length > 0;
      if (isStated && isAmong(ids) && !isChanged) return [];
      return [
        {
          stated: changedName(ids.join(' / '), additions, omissions),
          from: 'text',
          expression: conjunction(ids),
          ...(ids.length > 1 ? { choice: ids } : {}),
          ...(isChanged ? { additions, omissions } : {}),
          ...(isStated && !isAmong(ids) ? { isContradiction: true } : {}),
          path,
        },
      ];
    });
    if (others.length === 0 || additions.length === 0) return claims;
    const all = found.map(({ ids }) => ids.join(' / ')).join(', ');
    const expression = conjunction(found.flatMap(({ ids }) => ids));
    const isOther = isStated && found.some(({ ids }) => !isAmong(ids));
    return [
      ...claims,
      {
        stated: shown(`${all} with additions`),
        from: 'text',
        expression,
        additions,
        omissions: [],
        ...(isOther ? { isContradiction: true } : {}),
        path,
      },
    ];
  }

  #identify(text: unknown): (IdentifiedText & { readonly unreadable?: string }) | undefined {
    const { content, encoding } = (text ?? {}) as { content?: unknown; encoding?: unknown };
    if (this.#texts === undefined || typeof content !== 'string') return undefined;
    const key = `${encoding === undefined ? 'plain' : String(encoding)} ${content}`;
    const known = this.#identified.get(key);
    if (known !== undefined) return known;
    const read = readLicenceText(text);
    if (read.kind === 'none') return undefined;
    const identified =
      read.kind === 'unreadable'
        ? { licences: [], additions: [], unreadable: read.why }
        : (this.#named(read.text) ?? this.#texts.identify(read.text));
    this.#identified.set(key, identified);
    return identified;
  }

  /** A text that is nothing but a licence's id or name says that licence. */
  #named(text: string): IdentifiedText | undefined {
    if (text.length > LONGEST_STATED) return undefined;
    const expression = this.#understand(text.trim());
    const [term] = expression ?? [];
    if (expression?.length !== 1 || typeof term !== 'object' || term.kind !== 'spdx') return undefined;
    return { is: [term.text], licences: [{ ids: [term.text], additions: [], omissions: [] }], additions: [] };
  }

  #understand(text: string): LicenceExpression | undefined {
    if (this.#understood.has(text)) return this.#understood.get(text);
    const parsed = parseLicenceExpression(spdxIdOfName(text) ?? text);
    const expression = parsed.ok ? parsed.value : undefined;
    this.#understood.set(text, expression);
    return expression;
  }
}

function withoutChanges({ licences }: IdentifiedText): IdentifiedText {
  return { licences: licences.map(({ ids }) => ({ ids, additions: [], omissions: [] })), additions: [] };
}

/** The same licence, unchanged, several times in a text is one. */
function distinct(licences: readonly FoundLicence[]): FoundLicence[] {
  const byContent = new Map(licences.map((one) => [JSON.stringify(one), one]));
  return [...byContent.values()];
}

function changedName(name: string, additions: readonly string[], omissions: readonly string[]): string {
  const how = [additions.length > 0 ? 'additions' : '', omissions.length > 0 ? 'omissions' : ''].filter(
    (one) => one !== '',
  );
  return how.length === 0 ? name : `${name} with ${how.join(' and ')}`;
}

/** A text, its JSON Pointer, and which licence of an expression it is said to be. */
type EntryText = { readonly text: unknown; readonly path: string; readonly identifier?: string };

function expressionTexts(entry: LicenseChoice | null, path: string): EntryText[] {
  const details: unknown = entry?.['expressionDetails'];
  if (!Array.isArray(details)) return [];
  return details.map((detail: { text?: unknown; licenseIdentifier?: unknown } | null, index) => ({
    text: detail?.text,
    path: `${path}/expressionDetails/${index}/text`,
    ...(typeof detail?.licenseIdentifier === 'string' ? { identifier: detail.licenseIdentifier } : {}),
  }));
}

/** A text that several ids share does not say which one is meant, so every one has to be allowed. */
function conjunction(ids: readonly string[]): LicenceExpression {
  return ids.flatMap((id, index): LicenceExpression => (index === 0 ? [licenceTerm(id)] : [licenceTerm(id), 'AND']));
}

function shown(text: string): string {
  const line = text
    .slice(0, LONGEST_STATED + 1)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_STATED ? `${line.slice(0, LONGEST_STATED)}…` : line;
}
