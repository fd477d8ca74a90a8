import { encodeBase64 } from '@colophon/encoding';
import {
  isSchemaId,
  type LicenceTerm,
  type LicenceTexts,
  type LicenseChoice,
  parseLicenceExpression,
  spdxIdOfName,
} from '@colophon/licences';

/** What a package says about its licence: an SPDX expression or another name, and the texts it brings along. */
export type SourceLicence = {
  readonly licence?: string;
  readonly licenceTexts: ReadonlyArray<{ readonly path: string; readonly text: string }>;
};

/** The licence of a source package as a component carries it. */
export type VendoredLicence = {
  /** With its text. */
  readonly licenses: readonly LicenseChoice[];
  /** The same without text, for the pedigree. */
  readonly named: readonly LicenseChoice[];
  /** As people say it. */
  readonly shown: string;
  /** What a reader should know: a text that is not the package's own, a licence that was read from its text. */
  readonly notes: readonly string[];
};

const ACKNOWLEDGEMENT = { acknowledgement: 'declared' };
const NO_LICENCE = 'NOASSERTION';

/**
 * The source package's licence for the code that was made from it. An id carries its text; an expression does in
 * CycloneDX 1.7 (`expressionDetails`), and before, where it has no place for a text, stands as a name beside it.
 * @param hasExpressionTexts from CycloneDX 1.7
 * @see contract §2.5: the source package's licence, acknowledgement declared, text in base64; decision 0014
 */
export function vendoredLicence(
  source: SourceLicence,
  texts: LicenceTexts,
  { hasExpressionTexts }: { readonly hasExpressionTexts: boolean },
): VendoredLicence {
  const notes: string[] = [];
  const terms = statedTerms(source) ?? recognisedTerms(source, texts, notes);
  const shown = terms?.shown ?? (source.licence?.trim() || NO_LICENCE);
  const [only] = terms?.licences ?? [];
  if (terms === undefined) {
    if (shown === NO_LICENCE) notes.push('the package states no licence, and no licence text of it is known');
    const text = joined(source.licenceTexts);
    return choices({ name: shown }, text, shown, notes);
  }
  if (terms.licences.length === 1 && only!.exception === undefined && isSchemaId(only!.text)) {
    return choices({ id: only!.text }, textOf(only!, source, texts, notes), shown, notes);
  }
  const found = terms.licences.map((term) => ({ term, text: textOf(term, source, texts, notes) }));
  if (!hasExpressionTexts) {
    const text = joined(found.flatMap((one) => (one.text === undefined ? [] : [{ text: one.text }])));
    return choices({ name: shown }, text, shown, notes, [{ expression: shown, ...ACKNOWLEDGEMENT }]);
  }
  const expressionDetails = found.flatMap(({ term, text }) =>
    text === undefined ? [] : [{ licenseIdentifier: term.text, text: attachment(text) }],
  );
  const expression = { expression: shown, ...ACKNOWLEDGEMENT };
  const licenses = [expressionDetails.length === 0 ? expression : { ...expression, expressionDetails }];
  return { licenses, named: [expression], shown, notes };
}

type Terms = { readonly shown: string; readonly licences: readonly LicenceTerm[] };

/** What the package states, where SPDX knows every part of it. */
function statedTerms({ licence = '' }: SourceLicence): Terms | undefined {
  const parsed = parseLicenceExpression(spdxIdOfName(licence) ?? licence);
  const licences = parsed.ok ? parsed.value.filter((part) => typeof part === 'object') : [];
  if (!parsed.ok || licences.some(({ kind }) => kind === 'unknown')) return undefined;
  const distinct = [...new Map(licences.map((term) => [term.text, term])).values()];
  return { shown: distinct.length === 1 ? distinct[0]!.text : oneLine(licence), licences: distinct };
}

/** What the package's licence files are, where one licence is all they are. */
function recognisedTerms(
  { licence, licenceTexts }: SourceLicence,
  texts: LicenceTexts,
  notes: string[],
): Terms | undefined {
  const found = licenceTexts.map(({ path, text }) => ({ path, ids: texts.identify(text).is }));
  const [first] = found;
  if (first?.ids === undefined || found.length > 1) return undefined;
  // Nothing but a notice beside the text says "or any later version".
  const id = first.ids.find((one) => one.endsWith('-only')) ?? first.ids[0]!;
  const instead =
    licence === undefined ? 'the package states no licence' : `“${oneLine(licence)}” is no licence that SPDX lists`;
  notes.push(`${instead}; ${id} was read from its ${first.path}`);
  const parsed = parseLicenceExpression(id);
  return parsed.ok ? { shown: id, licences: parsed.value.filter((part) => typeof part === 'object') } : undefined;
}

/**
 * The package's own text of a licence, else SPDX's. Whatever else its licence files say stands there too, so that who
 * reads the component judges all of it.
 */
function textOf(term: LicenceTerm, source: SourceLicence, texts: LicenceTexts, notes: string[]): string | undefined {
  const files = source.licenceTexts.map(({ path, text }) => ({ path, text, ...texts.identify(text) }));
  const isOf = ({ ids }: { readonly ids: readonly string[] }) => ids.includes(term.text);
  const own = files.find(({ is }) => is?.includes(term.text)) ?? files.find(({ licences }) => licences.some(isOf));
  const stated = new Set(statedTerms(source)?.licences.map(({ text }) => text));
  const others = files.filter((one) => one !== own && !one.is?.some((id) => id === term.text || stated.has(id)));
  for (const { path, licences, additions } of [...(own === undefined ? [] : [own]), ...others]) {
    const found = licences.map((one) => one.ids.join(' / '));
    if (licences.some((one) => !isOf(one) && !one.ids.some((id) => stated.has(id)))) {
      notes.push(`${path} holds ${found.join(', ')}, and the package states ${term.text}`);
    } else if (additions.length > 0 || licences.some((one) => one.additions.length + one.omissions.length > 0)) {
      const what = found.length === 0 ? 'no known licence' : `${found.join(', ')} with other words than its text has`;
      notes.push(`${path} is ${what}`);
    }
  }
  if (own !== undefined) return others.length === 0 ? own.text : joined([own, ...others]);
  const listed = texts.textOf(term.text);
  if (others.length > 0) return others.length === 1 ? others[0]!.text : joined(others);
  const kind = listed === undefined ? 'none is written' : 'the text of the SPDX list is written';
  notes.push(`the package brings no text of ${term.text}; ${kind}`);
  return listed;
}

function choices(
  licence: { readonly id: string } | { readonly name: string },
  text: string | undefined,
  shown: string,
  notes: readonly string[],
  named: readonly LicenseChoice[] = [{ license: { ...licence, ...ACKNOWLEDGEMENT } }],
): VendoredLicence {
  const license = { ...licence, ...ACKNOWLEDGEMENT, ...(text === undefined ? {} : { text: attachment(text) }) };
  return { licenses: [{ license }], named, shown, notes };
}

function attachment(text: string) {
  return { contentType: 'text/plain', encoding: 'base64', content: encodeBase64(new TextEncoder().encode(text)) };
}

function joined(texts: ReadonlyArray<{ readonly text: string }>): string | undefined {
  return texts.length === 0
    ? undefined
    : texts
        .map(({ text }) => text.trimEnd())
        .join('\n\n---\n\n')
        .concat('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
