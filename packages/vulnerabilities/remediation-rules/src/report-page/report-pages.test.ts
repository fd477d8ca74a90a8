import { createHash } from 'node:crypto';
import type { RemediationRecord } from '@colophon/records';
import { TARGETED_SEVERITIES } from '@colophon/records';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { notAffectedOn, patchedOn, recordOf } from '../../test/remediation-record.ts';
import { ListingCheck } from '../report/check-listings.ts';
import { parsePeriod } from '../report/period.ts';
import { countReport } from '../report/quarterly-report.ts';
import { FIGURES, type ReportDetails, reportDetails } from '../report/report-details.ts';
import { type MadeFile, reportFiles } from '../report/report-files.ts';
import { reportNotes } from '../report/report-notes.ts';
import { escapeText, html } from './html.ts';
import { reportPages } from './report-pages.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style><svg onload=alert(1)>',
  'javascript:alert(1)',
  '<!-- ',
  ']]><x>',
  '&lt;b&gt;',
  '\u202egnp.exe\u0000\u001b[31m',
  '{{alert(1)}`',
  '<base href="https://evil.example/">',
  '\ud800',
];

function detailsOf(records: readonly RemediationRecord[], asOf = '2026-11-21'): ReportDetails {
  const period = parsePeriod('2026-Q4');
  const details = period.ok ? reportDetails(records, { period: period.value, asOf }) : expect.fail();
  return details.ok ? details.value : expect.fail(JSON.stringify(details.issues));
}
function pagesOf(records: readonly RemediationRecord[], asOf?: string): MadeFile[] {
  const details = detailsOf(records, asOf);
  const { artifacts, evidence } = reportFiles(details);
  const listings = new ListingCheck(details.records);
  const notes = reportNotes({ details, uncounted: [], closings: [], listings, catalog: undefined, inputs: [] });
  return [...reportPages(countReport(details, artifacts), details, evidence, notes, '1.2.3')];
}

/** What is read where markup is shown. */
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Every tag of a page that is really one, with its attributes; fails where the markup is not well formed. */
function tagsOf(page: string): Array<{ name: string; attributes: Record<string, string> }> {
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '').replace('<!doctype html>', '');
  const tags = [...body.matchAll(/<(\/?)([a-z0-9]+)((?: [a-z0-9-]+(?:="[^"<>]*")?)*) ?(\/?)>/gi)];
  // Whatever else has an angle bracket in it would be markup that nobody meant.
  expect(body.replace(/<(\/?)([a-z0-9]+)((?: [a-z0-9-]+(?:="[^"<>]*")?)*) ?(\/?)>/gi, '')).not.toMatch(/[<>]/);
  return tags
    .filter(([, isEnd]) => isEnd === '')
    .map(([, , name, attributes]) => ({
      name: name!,
      attributes: Object.fromEntries(
        [...attributes!.matchAll(/ ([a-z0-9-]+)(?:="([^"]*)")?/gi)].map(([, key, value]) => [key!, value ?? '']),
      ),
    }));
}

const EVIDENCE = [{ kind: 'sbom' as const, digest: `sha256:${'a'.repeat(64)}`, name: 'shop.cdx.json' }];
const RECORDS = [
  patchedOn('2026-10-06', { cve: 'CVE-2026-1', severity: 'critical', cisa_kev: true, evidence: EVIDENCE }),
  patchedOn('2026-10-20', { cve: 'CVE-2026-2' }),
  notAffectedOn('2026-10-20', { cve: 'CVE-2026-3', severity: 'medium' }),
  recordOf({ cve: 'CVE-2026-4', severity: 'unknown' }),
  recordOf({ cve: 'CVE-2026-5', date_discovered: '2026-09-01' }),
  recordOf({ cve: 'CVE-2026-5', component: 'other' }),
  recordOf({ cve: 'CVE-2026-6', state: 'closed', closed_at: '2026-10-06T00:00:00Z', decision: 'accept' }),
  ...HOSTILE.map((text, index) =>
    recordOf({
      cve: `CVE-2026-7${index}`,
      id: text,
      component: text,
      product: text,
      owner: text,
      current_version: text,
      purl: text,
      aliases: [text],
      evidence: [{ kind: 'sbom', digest: text, name: text }],
      history: [
        {
          at: '2026-10-05T08:00:00Z',
          by: text,
          action: 'opened',
          reason: text,
          changes: { [text]: [text, { [text]: text }] },
        },
      ],
    }),
  ),
];

describe('one page', () => {
  let page: string;
  beforeAll(() => {
    const pages = pagesOf(RECORDS);
    expect(pages.map(({ name }) => name)).toEqual(['quarterly-report-2026-Q4.html']);
    page = pages[0]!.content;
  });

  test('loads nothing, runs nothing, and is held to that by its own policy', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = tagsOf(page).find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')!;
    expect(policy.attributes['content']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(style).not.toMatch(/url\(|@import/);
    for (const { name, attributes } of tagsOf(page)) {
      expect(['script', 'img', 'iframe', 'object', 'embed', 'form', 'base', 'link', 'foreignObject']).not.toContain(
        name,
      );
      expect(Object.keys(attributes).filter((key) => key.startsWith('on') || key === 'style' || key === 'src')).toEqual(
        [],
      );
    }
  });

  test('leads nowhere but into itself and to the files beside it', () => {
    const tags = tagsOf(page);
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { attributes } of tags) {
      const { href } = attributes;
      if (href === undefined) continue;
      expect(href).toMatch(/^(?:#[a-z][a-z0-9]*|\.\/[A-Za-z0-9_+@][A-Za-z0-9._+@-]*)$/);
      if (href.startsWith('#')) expect(ids).toContain(href.slice(1));
    }
  });

  test('shows every hostile text as text', () => {
    for (const text of HOSTILE) expect(page).toContain(`<dd>${escapeText(text)}</dd>`);
    expect(page).toContain('\\u{202e}gnp.exe\\u{0}\\u{1b}[31m');
    for (const character of ['\u202e', '\u001b', '\u0000', '\ud800']) expect(page.includes(character)).toBe(false);
  });

  test('lists for each figure exactly what it counts', () => {
    const details = detailsOf(RECORDS);
    const rows = [...page.matchAll(/<tr class="(cve[^"]*)" id="v\d+"><th scope="row"><bdi>([^<]*)<\/bdi>/g)];
    expect(rows.map(([, , cve]) => cve)).toEqual(details.cves.map(({ cve }) => cve));
    for (const [index, figure] of FIGURES.entries()) {
      const counted = rows.filter(([, classes]) => classes!.split(' ').includes(`c${index}`)).map(([, , cve]) => cve);
      expect([figure, counted]).toEqual([figure, details.figures[figure].map(({ cve }) => cve)]);
      expect(page).toContain(`#f${index}:target~.list .cve:not(.c${index})`);
      expect(page).toContain(`id="f${index}"`);
    }
  });

  test('leads with each number to as many CVEs as it says', () => {
    const details = detailsOf(RECORDS);
    const { figures } = details;
    const { sla_by_severity } = countReport(details, reportFiles(details).artifacts);
    const links = [...page.matchAll(/<a href="#f(\d+)">(.*?)<\/a>/g)].flatMap(([, index, shown]) => {
      const number = /(?:^| )([\d.]+)$/.exec(textOf(shown!))?.[1];
      return number === undefined ? [] : [[FIGURES[Number(index)]!, Number(number)] as const];
    });
    const counts = links.filter(([figure, number]) => {
      const severity = TARGETED_SEVERITIES.find((one) => figure === `sla_by_severity.${one}`);
      return severity === undefined || number !== sla_by_severity[severity].actual_avg_days;
    });
    expect(new Set(counts.map(([figure]) => figure)).size).toBeGreaterThan(15);
    expect(counts).toEqual(counts.map(([figure]) => [figure, figures[figure].length]));
  });

  test('says where signatures are, and how they are checked', () => {
    expect(page).toContain('<code>quarterly-report-2026-Q4.json.sigstore.json</code>');
    expect(page).toContain('<code>SHA256SUMS.sigstore.json</code>');
    expect(page).toContain('<code>colophon report verify . --certificate-identity');
  });

  test('leads from each row to each of its records, with every field of it', () => {
    for (const record of RECORDS) {
      const shown = `<h3><bdi>${escapeText(record.cve)}</bdi> in <bdi>${escapeText(record.component)}</bdi>`;
      expect(page.split(shown)).toHaveLength(2);
    }
    expect([...page.matchAll(/href="#r\d+"/g)]).toHaveLength(RECORDS.length);
    for (const field of [
      'cve',
      'affected',
      'estimated_patch_date',
      'vex_status',
      'days_to_remediate',
      'sla_compliance',
    ]) {
      expect(page.split(`<dt>${field}</dt>`)).toHaveLength(RECORDS.length + 1);
    }
  });

  test('says what is carried over, overdue, without a severity and unproven', () => {
    expect(textOf(page)).toContain('and 1 carried over from before');
    expect(page).toContain('1 without a severity');
    expect(page).toContain('closed without proof');
    expect(page).toContain('The quarter is not over.');
    expect(pagesOf(RECORDS, '2027-03-01')[0]!.content).not.toContain('The quarter is not over.');
  });

  test('links the documents that a record rests on, by the name that they have here', () => {
    expect(page).toContain(
      `<a href="./shop.cdx.json">shop.cdx.json</a></td><td class="mono">sha256:${'a'.repeat(64)}</td>`,
    );
  });
});

test('of no records is a page too', () => {
  const [page] = pagesOf([]);
  expect(tagsOf(page!.content).length).toBeGreaterThan(100);
  expect(page!.content).not.toContain('NaN');
  expect(page!.content).toContain('<small>nothing was due</small>');
});

test('says of which products it is, and of how many more', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => recordOf({ cve: 'CVE-2026-1', id: `p${index}`, product: `p${index}` }));
  expect(pagesOf(named(2))[0]!.content).toContain('Records of 2 products: <bdi>p0</bdi>, <bdi>p1</bdi></p>');
  expect(pagesOf(named(10))[0]!.content).toContain('<bdi>p7</bdi> and 2 more</p>');
});

test('the order of the records changes no byte', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(RECORDS, { minLength: RECORDS.length }), (shuffled) => {
      expect(pagesOf(shuffled)).toEqual(pagesOf(RECORDS));
    }),
    { numRuns: 20 },
  );
});

describe('many records', () => {
  const many = Array.from({ length: 1203 }, (_, index) =>
    recordOf({ cve: `CVE-2026-${10_000 + index}`, id: `m${index}` }),
  );
  let pages: MadeFile[];
  beforeAll(() => {
    pages = pagesOf(many);
  });
  test('have pages of their own', () => {
    expect(pages.map(({ name }) => name)).toEqual([
      'quarterly-report-2026-Q4.html',
      'quarterly-report-2026-Q4-cves.html',
      'quarterly-report-2026-Q4-records-001.html',
      'quarterly-report-2026-Q4-records-002.html',
      'quarterly-report-2026-Q4-records-003.html',
    ]);
  });
  test('which say the CVEs between which their records are', () => {
    expect(textOf(pages[0]!.content)).toContain('CVE-2026-10500 to CVE-2026-10999');
    expect(textOf(pages[0]!.content)).toContain('CVE-2026-11000 to CVE-2026-11202');
  });
  test('and every link across them leads to its place', () => {
    const ids = new Map(
      pages.map(({ name, content }) => [
        name,
        new Set(tagsOf(content).flatMap(({ attributes }) => attributes['id'] ?? [])),
      ]),
    );
    let followed = 0;
    for (const { name, content } of pages) {
      for (const { attributes } of tagsOf(content)) {
        const [page, anchor] = attributes['href']?.split('#') ?? [];
        if (page === undefined || page.startsWith('./')) continue;
        expect(ids.has(page || name)).toBe(true);
        if (anchor !== undefined) expect(ids.get(page || name)!.has(anchor)).toBe(true);
        followed += 1;
      }
    }
    expect(followed).toBeGreaterThan(1203);
  });
});

test('a template takes text, numbers and markup, and shows nothing for what is not there', () => {
  expect(html`<p title="${'"'}">${'<'}${1}${undefined}${html`<b>${'&'}</b>`}${[html`a`, html`b`]}</p>`.markup).toBe(
    '<p title="&quot;">&lt;1<b>&amp;</b>ab</p>',
  );
});
