import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CVSS_METRICS, CVSS_VERSIONS, type CvssVersion } from './cvss-metrics.ts';
import { baseScore } from './cvss-score.ts';
import { parseCvssVector } from './cvss-vector.ts';

const codesOf = (text: string) => {
  const parsed = parseCvssVector(text);
  return parsed.ok ? [] : parsed.issues.map(({ code }) => code);
};

test.each([
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', '2.0', 'AV:N/AC:L/Au:N/C:P/I:P/A:P'],
  ['(AV:N/AC:L/Au:N/C:P/I:P/A:P)', '2.0', 'AV:N/AC:L/Au:N/C:P/I:P/A:P'],
  ['CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P', '2.0', 'AV:N/AC:L/Au:N/C:P/I:P/A:P'],
  ['av:n/ac:l/au:n/c:p/i:p/a:p/e:poc', '2.0', 'AV:N/AC:L/Au:N/C:P/I:P/A:P/E:POC'],
  ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', '3.0', 'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'],
  [' cvss:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H\n', '3.1', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'],
  ['CVSS:3.1/A:H/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/MAV:X', '3.1', 'CVSS:3.1/A:H/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/MAV:X'],
  // As NVD and CycloneDX show them: only one version has these metrics, and 3.0 differs in nothing that a base has.
  ['AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', '3.1', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'],
  ['(a:h/ac:l/av:n/pr:n/ui:n/s:c/c:h/i:h)', '3.1', 'CVSS:3.1/A:H/AC:L/AV:N/PR:N/UI:N/S:C/C:H/I:H'],
  [
    'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    '4.0',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
  ],
  [
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:P/MSI:S/U:red',
    '4.0',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:P/MSI:S/U:Red',
  ],
])('%j is a vector of version %s', (text, version, normal) => {
  expect(parseCvssVector(text)).toMatchObject({ ok: true, value: { version, text: normal } });
});

test.each([
  ['', ['cvss.malformed']],
  ['None', ['cvss.malformed']],
  ['7.5', ['cvss.malformed']],
  ['CVSS:3.1/', ['cvss.malformed']],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H/', ['cvss.malformed']],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H x', ['cvss.malformed']],
  ['CVSS:3.1/AV:N//AC:L', ['cvss.malformed']],
  [`CVSS:3.1/${'AV:N/'.repeat(200)}`, ['cvss.malformed']],
  ['CVSS:5.0/AV:N', ['cvss.version_unknown']],
  ['CVSS:3/AV:N', ['cvss.version_unknown']],
  ['CVSS:__proto__/AV:N', ['cvss.version_unknown']],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H', ['cvss.metric_missing']],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N', Array(4).fill('cvss.metric_missing')],
  ['AV:N/AC:L/Au:N/C:P/I:P', ['cvss.metric_missing']],
  ['AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H', ['cvss.metric_missing']],
  ['AV:N/AC:L/AT:N/PR:N', Array(7).fill('cvss.metric_missing')],
  ['AV:N/AC:L/Au:N/PR:N/C:P/I:P/A:P', expect.arrayContaining(['cvss.metric_unknown'])],
  ['CVSS:4.0/AV:N/AC:L/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', ['cvss.metric_missing']],
  ['CVSS:3.1/AV:N/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', ['cvss.metric_repeated']],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H/a:L', ['cvss.metric_repeated']],
  ['CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', ['cvss.value_unknown']],
  ['CVSS:3.1/AV:N/AC:M/PR:N/UI:N/S:C/C:P/I:H/A:H', ['cvss.value_unknown', 'cvss.value_unknown']],
  ['CVSS:3.1/AT:N/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', ['cvss.metric_unknown']],
])('%j is refused: %j', (text, codes) => {
  expect(codesOf(text)).toEqual(codes);
});

/** A vector with every metric of the base, and some of the others. */
const vectors = fc.constantFrom<CvssVersion>(...CVSS_VERSIONS).chain((version) => {
  const { base, others } = CVSS_METRICS[version];
  const part = ([metric, values]: [string, readonly string[]]) =>
    fc.constantFrom(...values.map((v) => `${metric}:${v}`));
  return fc
    .tuple(
      fc.tuple(...Object.entries(base).map(part)),
      fc.subarray(Object.entries(others)).chain((some) => fc.tuple(...some.map(part))),
    )
    .map(([inBase, more]) => ({ version, inBase, more }));
});
const write = (version: CvssVersion, parts: readonly string[]) =>
  `${version === '2.0' ? '' : `CVSS:${version}/`}${parts.join('/')}`;

test('order says nothing: one base has one score, whatever stands beside it', () => {
  fc.assert(
    fc.property(vectors, fc.infiniteStream(fc.nat()), ({ version, inBase, more }, numbers) => {
      const shuffled = [...inBase, ...more].map((part) => [numbers.next().value, part] as const);
      const text = write(
        version,
        shuffled.sort(([a], [b]) => a - b).map(([, part]) => part),
      );
      const [one, other] = [parseCvssVector(write(version, inBase)), parseCvssVector(text)];
      if (!one.ok || !other.ok) throw new Error(text);
      expect(other.value.base).toBe(one.value.base);
      expect(baseScore(other.value)).toBe(baseScore(one.value));
    }),
    { numRuns: 200 },
  );
});

test('without any one metric of the base, with one twice, or with one of no version, there is no vector', () => {
  fc.assert(
    fc.property(vectors, fc.nat(), ({ version, inBase, more }, number) => {
      const at = number % inBase.length;
      expect(codesOf(write(version, [...inBase.toSpliced(at, 1), ...more]))).toEqual(['cvss.metric_missing']);
      expect(codesOf(write(version, [...inBase, ...more, inBase[at] as string]))).toEqual(['cvss.metric_repeated']);
      expect(codesOf(write(version, [...inBase, 'Q:N', ...more]))).toEqual(['cvss.metric_unknown']);
    }),
  );
});

test('any text is read or refused with a code', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `CVSS:3.1/${text}`),
      ),
      (text) => {
        const parsed = parseCvssVector(text);
        if (!parsed.ok) expect(parsed.issues.length).toBeGreaterThan(0);
      },
    ),
  );
});
