import type { Issue, ParseResult } from '@colophon/json';
import { parseLicenceExpression } from '../spdx/licence-expression.ts';
import type { LicenceTerm } from '../spdx/licence-term.ts';
import { similarSpdxId, spdxIdOfName } from '../spdx/spdx-list.ts';

/** What a list of licences holds. */
export type LicenceList = {
  readonly terms: readonly LicenceTerm[];
  /** Names that SPDX does not list, exactly as they stand in a document. */
  readonly names: readonly string[];
};

/** Which licences a release may have. Without an allow list, every listed licence that is not denied. */
export type LicencePolicy = {
  readonly allow?: LicenceList;
  /** Wins over `allow`. */
  readonly deny?: LicenceList;
  /** Lets pass what is missing or cannot be understood; what is understood and not allowed stays refused. */
  readonly allowUnknown?: boolean;
  /** Gates the documented artifact itself too, and not only what is in it. */
  readonly includeRoot?: boolean;
  /** Leaves out components that are there for tests and tools alone (scope `excluded`). */
  readonly skipExcluded?: boolean;
  /** Of variant B's property names. */
  readonly namespace?: string;
};

/** Every code of a list that cannot be used. */
export const LICENCE_LIST_CODES = [
  /** It allows or denies nothing: an empty file or an unset variable. */
  'licence_list.empty',
  /** Neither an SPDX id or name nor a `LicenseRef-…`; other names stand in quotes. */
  'licence_list.licence_unknown',
  /** An entry is one licence, with an exception or without. */
  'licence_list.not_one_licence',
  /** Not a list: JSON of another form, quotes that do not end. */
  'licence_list.malformed',
] as const;
export type LicenceListCode = (typeof LICENCE_LIST_CODES)[number];

type Entry = { readonly text: string; readonly isName: boolean; readonly path: string };

/**
 * Reads a list of licences: one a line with `#` comments, separated by commas, or a JSON array. An entry is an SPDX id
 * (`GPL-2.0-only WITH Classpath-exception-2.0`), a full name of the SPDX list, a `LicenseRef-…`, or, in double quotes,
 * the exact name that a document gives (`"Public Domain"`; in JSON `{"name": "Public Domain"}`).
 * @returns issues with {@link LICENCE_LIST_CODES}; `path` is the line and entry, or a JSON Pointer
 */
export function parseLicenceList(text: string): ParseResult<LicenceList> {
  const entries = text.trimStart().startsWith('[') ? jsonEntries(text) : lineEntries(text);
  if (!entries.ok) return entries;
  const issues: Issue[] = [];
  const terms: LicenceTerm[] = [];
  const names: string[] = [];
  for (const entry of entries.value) {
    if (entry.isName) {
      names.push(oneSpaced(entry.text));
      continue;
    }
    const parsed = parseLicenceExpression(spdxIdOfName(entry.text) ?? entry.text);
    const [term] = parsed.ok ? parsed.value : [];
    if (parsed.ok && parsed.value.length > 1) {
      issues.push(
        issue(entry, 'licence_list.not_one_licence', 'an entry is one licence', 'one entry for each licence'),
      );
    } else if (typeof term !== 'object' || term.kind === 'unknown') {
      const similar = similarSpdxId(entry.text);
      const quoted = `"${entry.text.slice(0, 80)}" in quotes for a name that SPDX does not list`;
      const expected = similar === undefined ? quoted : `${similar}, or ${quoted}`;
      issues.push(issue(entry, 'licence_list.licence_unknown', `SPDX lists no ${entry.text.slice(0, 80)}`, expected));
    } else terms.push(term);
  }
  if (entries.value.length === 0) {
    issues.push(issue({ path: '' }, 'licence_list.empty', 'the list names no licence', 'at least one licence'));
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: { terms, names } };
}

/** A name as it is compared: what a line break or a second blank changes is not another name. */
export function oneSpaced(name: string): string {
  return name.replace(/\s+/g, ' ').trim();
}

function lineEntries(text: string): ParseResult<Entry[]> {
  const entries: Entry[] = [];
  // Either a name in quotes, or what stands up to the next comma or comment; `"` inside a name is written twice.
  const ENTRY = /\s*(?:"((?:[^"]|"")*)"|([^,#"][^,#]*))?\s*(?:,|#.*|$)/y;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    for (let position = 0; position < line.length; position = ENTRY.lastIndex) {
      ENTRY.lastIndex = position;
      const path = `line ${index + 1}`;
      const [, name, plain] = ENTRY.exec(line) ?? [undefined, undefined, undefined];
      if (ENTRY.lastIndex <= position) {
        return {
          ok: false,
          issues: [
            issue({ path }, 'licence_list.malformed', 'quotes stand around a whole name', '"a name", then a comma'),
          ],
        };
      }
      if (name !== undefined) entries.push({ text: name.replaceAll('""', '"'), isName: true, path });
      else if (plain !== undefined && plain.trim() !== '') entries.push({ text: plain.trim(), isName: false, path });
    }
  }
  return { ok: true, value: entries };
}

function jsonEntries(text: string): ParseResult<Entry[]> {
  const malformed = (path: string) =>
    issue(
      { path },
      'licence_list.malformed',
      'not a list of licences',
      '["MIT", {"name": "a name that SPDX does not list"}]',
    );
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return { ok: false, issues: [malformed('')] };
  }
  const entries = (values as unknown[]).map((value, index): Entry | undefined => {
    const name = (value as { name?: unknown } | null)?.name;
    const path = `/${index}`;
    if (typeof value === 'string' && value.trim() !== '') return { text: value.trim(), isName: false, path };
    return typeof name === 'string' && name.trim() !== '' ? { text: name, isName: true, path } : undefined;
  });
  const issues = entries.flatMap((entry, index) => (entry === undefined ? [malformed(`/${index}`)] : []));
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: entries as Entry[] };
}

function issue({ path }: { path: string }, code: LicenceListCode, message: string, expected: string): Issue {
  return { path, code, message, expected };
}
