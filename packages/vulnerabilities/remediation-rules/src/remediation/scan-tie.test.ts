import { ComponentLookup } from '@colophon/findings';
import { expect, test } from 'vitest';
import { findingOf, LOG4J, NEWER_SBOM, rescanOf, sbomOf } from '../../test/remediation-story.ts';
import { componentWords, scanTie, scanTieIssues } from './scan-tie.ts';

const PAD = { name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' };
const listing = (...components: ReadonlyArray<typeof PAD>) =>
  rescanOf({ findings: components.map((component) => findingOf({ component })) });
const codes = (scan: ReturnType<typeof rescanOf>, sbom = NEWER_SBOM, components = [LOG4J]) =>
  [...scanTieIssues(scan, sbom, components)].map(({ code }) => code);

test('a scan of which nothing is in the SBOM is none of it; one of which a part is, may be', () => {
  expect(codes(listing(PAD))).toEqual(['remediation.scan_unrelated']);
  expect(codes(listing(PAD, LOG4J))).toEqual([]);
  expect(codes(listing({ ...LOG4J, version: '2.0.0', purl: LOG4J.purl.replace('2.14.1', '2.0.0') }))).toEqual([
    'remediation.scan_unrelated',
  ]);
  expect(codes(listing())).toEqual([]);
});

test('each foreign component is counted once', () => {
  const tie = scanTie(listing(PAD, PAD, LOG4J).record, NEWER_SBOM, new ComponentLookup([LOG4J]));
  expect(tie).toEqual({ listed: 2, foreign: [PAD], otherBoms: [] });
});

test.each([
  [[], [{ serialNumber: NEWER_SBOM.serialNumber!.toUpperCase(), version: 1 }], NEWER_SBOM],
  [
    [],
    [
      { serialNumber: 'urn:uuid:x', version: 1 },
      { serialNumber: NEWER_SBOM.serialNumber!, version: 1 },
    ],
    NEWER_SBOM,
  ],
  [['remediation.scan_of_other_sbom'], [{ serialNumber: NEWER_SBOM.serialNumber!, version: 2 }], NEWER_SBOM],
  [['remediation.scan_of_other_sbom'], [{ serialNumber: 'urn:uuid:x', version: 1 }], NEWER_SBOM],
])('%j where the output names %j', (expected, namedBoms, sbom) => {
  expect(codes(rescanOf({ namedBoms }), sbom)).toEqual(expected);
});

test('an SBOM without serial number or version is named by none, and is the first', () => {
  const { serialNumber: _, ...nameless } = NEWER_SBOM;
  const issues = [
    ...scanTieIssues(rescanOf({ namedBoms: [{ serialNumber: 'urn:uuid:x', version: 3 }] }), nameless, []),
  ];
  expect(issues).toMatchObject([{ expected: 'no serialNumber, version 1', found: 'urn:uuid:x, version 3' }]);
  const { version: __, ...first } = sbomOf();
  expect(codes(rescanOf({ namedBoms: [{ serialNumber: first.serialNumber!, version: 1 }] }), first)).toEqual([]);
});

test('a message shows five components and counts the rest', () => {
  const parts = Array.from({ length: 7 }, (_, index) => ({ name: `part-${index}` }));
  expect(componentWords(parts)).toMatch(/^part-0 \(no version\), .*, and 2 more$/);
  expect(componentWords([{ name: 'a', version: '1' }, LOG4J])).toBe(`a 1, ${LOG4J.purl}`);
});
