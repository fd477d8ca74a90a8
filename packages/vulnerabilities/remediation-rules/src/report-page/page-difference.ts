import type { ReportDifference } from '../report/report-difference-result.ts';
import { type Html, html } from './html.ts';

/** What begins every page: programs read here which version made it, before any text of a record. */
export function pageBeginning(version: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta name="generator" content="colophon ${version}">`;
}

const BEGINNING =
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="colophon (\d[0-9A-Za-z.+-]{0,39})">\n/;
/** Bytes in which a page has said it. */
const LONGEST_BEGINNING = 200;

/** Which version a page says that it was made by; undefined where it says none. Nothing proves what it says. */
export function versionOfPage(page: Uint8Array): string | undefined {
  return BEGINNING.exec(textOf(page.subarray(0, LONGEST_BEGINNING)))?.[1];
}

/** A page of the folder that is not the one that this program makes. */
export type DifferingPage = {
  readonly name: string;
  /** As this program makes it; undefined for a page that the report does not have. */
  readonly made: Uint8Array | undefined;
  /** As it lies in the folder; undefined where it does not. */
  readonly found: Uint8Array | undefined;
  /** The page of the figures, as it lies there: one program makes all pages of a report. */
  readonly main: Uint8Array | undefined;
  /** Of this program. */
  readonly version: string;
};

/**
 * Changed, or not compared: only one version makes the same bytes. Who changes a page may write any version into it, so
 * what is not compared is a difference too, and never passes.
 */
export function pageDifference({ name, made, found, main, version }: DifferingPage): ReportDifference {
  const there = [found, main].filter((page) => page !== undefined);
  const [maker, another] = there.map(versionOfPage);
  if (there.length > 0 && maker !== version && another !== version) {
    const words = maker === undefined ? 'no version is named' : `made by version ${maker}, as it says`;
    const expected = `a page made by this version, ${version}`;
    return { code: 'report.page_not_compared', path: name, expected, found: `${words}: not compared` };
  }
  const changed = (expected: string, actual: string): ReportDifference => {
    return { code: 'report.page_changed', path: name, expected, found: actual };
  };
  if (found === undefined) return changed('a page of the report', 'no such page');
  if (made === undefined) return changed('no page of this name in the report', 'a page');
  const at = made.findIndex((byte, index) => byte !== found[index]);
  const from = Math.max(0, (at < 0 ? made.length : at) - CONTEXT_BEFORE);
  return changed(partOf(made, from), partOf(found, from));
}

/** Bytes that are shown of a page, before the place where it differs and in all. */
const CONTEXT_BEFORE = 40;
const CONTEXT = 160;

function partOf(page: Uint8Array, from: number): string {
  return from >= page.length ? 'the end of the page' : textOf(page.subarray(from, from + CONTEXT));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
