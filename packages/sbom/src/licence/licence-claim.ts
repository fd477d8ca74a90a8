import type { Component, LicenseChoice } from '../document/bom.ts';
import { type LicenceExpression, parseLicenceExpression } from './licence-expression.ts';
import { licenceTerm } from './licence-term.ts';
import { type IdentifiedText, type LicenceTexts, readLicenceText } from './licence-text.ts';
import { spdxIdOfName } from './spdx-list.ts';

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
  /** The text beside it is that of other licences than it names. */
  readonly isContradiction?: boolean;
  readonly acknowledgement?: string;
  /** JSON Pointer. */
  readonly path: string;
};

const LONGEST_STATED = 200;
/**
 * Reads what documents state about licences: ids, expressions, names and texts, each into what it means. What it has
 * understood once it remembers, as thousands of components share a handful of licences.
 */
export class LicenceReader {
  readonly #texts: LicenceTexts | undefined;
  readonly #understood = new Map<string, LicenceExpression | undefined>();
  readonly #identified = new Map<string, IdentifiedText>();
  readonly #read = new Map<object, LicenceClaim[]>();

  /** Without `texts`, a licence's text is passed over. */
  constructor(texts?: LicenceTexts) {
    this.#texts = texts;
  }

  /** Every licence that a component states, at its place. Never throws, whatever stands there. */
  claimsOf(component: Pick<Component, 'licenses'>, path: string): LicenceClaim[] {
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
    const texts = [{ text: license?.text, path: `${path}/license/text` }, ...expressionTexts(entry, path)];
    const claims = texts.reduce((all, { text, path: at }) => this.#withText(all, text, at), stated);
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

  /** The claims with what a text adds: what an unlisted name means, or that it is another licence than is stated. */
  #withText(claims: readonly LicenceClaim[], text: unknown, path: string): LicenceClaim[] {
    const { is, holds } = this.#identify(text);
    const named = claims.flatMap(({ expression = [] }) => expression.filter((part) => typeof part === 'object'));
    const isStated = named.some(({ kind }) => kind !== 'unknown');
    if (!isStated && is !== undefined) {
      const expression = conjunction(is);
      const [claim, ...rest] = claims;
      if (claim === undefined) return [{ stated: is.join(' / '), from: 'text', expression, path }];
      return [{ ...claim, expression, isKnownByText: true }, ...rest];
    }
    // A text that holds the stated licence may well hold those of what is bundled with it.
    const isTheStated = holds.some((ids) => ids.some((id) => named.some(({ base }) => base === licenceTerm(id).base)));
    if (holds.length === 0 || isTheStated) return [...claims];
    return [
      ...claims,
      {
        stated: holds.map((ids) => ids.join(' / ')).join(', '),
        from: 'text',
        expression: conjunction(holds.flat()),
        ...(isStated ? { isContradiction: true } : {}),
        path,
      },
    ];
  }

  #identify(text: unknown): IdentifiedText {
    const { content } = (text ?? {}) as { content?: unknown };
    if (this.#texts === undefined || typeof content !== 'string') return NO_TEXT;
    const known = this.#identified.get(content);
    if (known !== undefined) return known;
    const read = readLicenceText(text);
    const identified = read === undefined ? NO_TEXT : this.#texts.identify(read);
    this.#identified.set(content, identified);
    return identified;
  }

  #understand(text: string): LicenceExpression | undefined {
    if (this.#understood.has(text)) return this.#understood.get(text);
    const parsed = parseLicenceExpression(spdxIdOfName(text) ?? text);
    const expression = parsed.ok ? parsed.value : undefined;
    this.#understood.set(text, expression);
    return expression;
  }
}

const NO_TEXT: IdentifiedText = { holds: [] };

function expressionTexts(entry: LicenseChoice | null, path: string): Array<{ text: unknown; path: string }> {
  const details: unknown = entry?.['expressionDetails'];
  if (!Array.isArray(details)) return [];
  return details.map((detail: { text?: unknown } | null, index) => ({
    text: detail?.text,
    path: `${path}/expressionDetails/${index}/text`,
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
