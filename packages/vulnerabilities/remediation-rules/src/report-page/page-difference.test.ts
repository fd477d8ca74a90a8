import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageBeginning, pageDifference, versionOfPage } from './page-difference.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const pageBy = (version: string, rest = '<p>12.5%</p>\n') => bytes(`${pageBeginning(version).markup}\n${rest}`);
const OURS = '1.2.3';
const made = pageBy(OURS);
const judged = (
  found: Uint8Array | undefined,
  main: Uint8Array | undefined = found,
  of: Uint8Array | undefined = made,
) => pageDifference({ name: 'page.html', made: of, found, main, version: OURS });

describe('the version of a page', () => {
  test('is read as it was written', () => {
    const versions = fc.stringMatching(/^\d{1,3}\.\d{1,3}\.\d{1,3}(-[0-9A-Za-z.-]{1,9})?(\+[0-9A-Za-z.-]{1,9})?$/);
    fc.assert(fc.property(versions, fc.string(), (version, rest) => versionOfPage(pageBy(version, rest)) === version));
  });
  test.each([
    ['nothing', ''],
    ['another beginning', ` ${pageBeginning(OURS).markup}\n`],
    ['a version further down', `<!doctype html>\n<p></p>${pageBeginning(OURS).markup}\n`],
    ['words for a version', `${pageBeginning('as good as new').markup}\n`],
    ['a version and words', `${pageBeginning('1.2.3 all is well').markup}\n`],
    ['a version of 41 characters', `${pageBeginning(`1${'0'.repeat(40)}`).markup}\n`],
    ['more than the version', `${pageBeginning(OURS).markup.replace('">', '" lang="en">')}\n`],
  ])('is none in %s', (_, page) => {
    expect(versionOfPage(bytes(page))).toBeUndefined();
  });
  test('has at most 40 characters', () => {
    const version = `1${'0'.repeat(39)}`;
    expect(versionOfPage(pageBy(version))).toBe(version);
  });
});

describe('a page that is another', () => {
  test('is changed where it says this version, and both are shown where they part', () => {
    expect(judged(pageBy(OURS, '<p>100.0%</p>\n'))).toEqual({
      code: 'report.page_changed',
      path: 'page.html',
      expected: expect.stringMatching(/<p>12\.5%<\/p>\n$/),
      found: expect.stringMatching(/<p>100\.0%<\/p>\n$/),
    });
    // Forty bytes before the place, and no more than 160 in all.
    const long = (mark: string) => pageBy(OURS, `${'a'.repeat(400)}${mark}${'b'.repeat(400)}`);
    const { expected, found } = judged(long('y'), long('y'), long('x'));
    expect(expected).toBe(`${'a'.repeat(40)}x${'b'.repeat(119)}`);
    expect(found).toBe(`${'a'.repeat(40)}y${'b'.repeat(119)}`);
  });
  test('is changed where it begins otherwise, which is shown', () => {
    const other = `${'b'.repeat(400)}`;
    expect(judged(bytes(other), made)).toMatchObject({ found: 'b'.repeat(160), code: 'report.page_changed' });
  });
  test('is changed where it goes on, or ends before', () => {
    expect(judged(bytes(`${new TextDecoder().decode(made)}<p>more</p>`)).found).toContain('</p>\n<p>more</p>');
    const long = `${'a'.repeat(400)}z`;
    expect(judged(pageBy(OURS, `${long}more`), made, pageBy(OURS, long))).toMatchObject({
      expected: `${'a'.repeat(39)}z`,
      found: `${'a'.repeat(39)}zmore`,
    });
    const { expected, found } = judged(made.subarray(0, made.length - 13));
    expect(expected.endsWith('<p>12.5%</p>\n')).toBe(true);
    expect(found).toBe(expected.slice(0, -13));
    expect(judged(made, made, new Uint8Array())).toMatchObject({ expected: 'the end of the page' });
  });
  test.each([
    ['another version', pageBy('1.2.4'), /version 1\.2\.4, as it says/],
    ['a version that begins as this one', pageBy('1.2.30'), /version 1\.2\.30/],
    ['none', bytes('<p>'), /no version/],
    ['nothing', bytes(''), /no version/],
  ])('is not compared where it says %s', (_, page, words) => {
    const { code, expected, found } = judged(page);
    expect(code).toBe('report.page_not_compared');
    expect(expected).toContain(OURS);
    expect(found).toMatch(words);
  });
  test('is changed where either the page or that of the figures says this version', () => {
    expect(judged(pageBy('9.9.9'), pageBy(OURS)).code).toBe('report.page_changed');
    expect(judged(pageBy(OURS, ''), pageBy('9.9.9')).code).toBe('report.page_changed');
    expect(judged(pageBy(OURS, ''), undefined).code).toBe('report.page_changed');
    expect(judged(pageBy('9.9.8'), pageBy('9.9.9'))).toMatchObject({
      code: 'report.page_not_compared',
      found: expect.stringContaining('9.9.8'),
    });
  });
  test('is changed where it is missing or too many, but for those of another version', () => {
    const missing = { code: 'report.page_changed', expected: 'a page of the report', found: 'no such page' };
    expect(judged(undefined, undefined)).toMatchObject(missing);
    expect(judged(undefined, pageBy(OURS))).toMatchObject(missing);
    expect(judged(undefined, pageBy('9.9.9'))).toMatchObject({ code: 'report.page_not_compared' });
    const stray = (main: Uint8Array) =>
      pageDifference({ name: 'page.html', made: undefined, found: bytes('<p>'), main, version: OURS });
    expect(stray(pageBy(OURS))).toMatchObject({
      code: 'report.page_changed',
      expected: expect.stringContaining('no page'),
      found: 'a page',
    });
    expect(stray(pageBy('9.9.9'))).toMatchObject({ code: 'report.page_not_compared' });
  });
});
