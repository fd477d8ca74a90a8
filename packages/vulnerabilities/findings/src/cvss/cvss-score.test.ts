import { expect, test } from 'vitest';
import { baseScore, overallScore } from './cvss-score.ts';
import { parseCvssVector } from './cvss-vector.ts';

const vectorOf = (text: string) => {
  const parsed = parseCvssVector(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
};

// Each was computed by another implementation too; all 2,592 vectors of v3 and 729 of v2 were, and one in 13 of v4.0.
test.each([
  ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
  ['AV:N/AC:M/Au:N/C:C/I:C/A:C', 9.3],
  ['AV:L/AC:H/Au:M/C:N/I:N/A:P', 0.8],
  ['AV:N/AC:L/Au:N/C:N/I:N/A:N', 0],
  ['CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
  ['CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H', 6.6],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:A/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.5],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0],
])('%s has the base score %d', (text, score) => {
  expect(baseScore(vectorOf(text))).toBe(score);
});

test.each([
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', 7.5, '/E:U/RL:OF/RC:UC', 5],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 7.5, '/E:P', 7.1],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8, '/MAV:P', 6.8],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:A/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.5, '/E:P', 6.6],
  // The one thing that v3.1 counts in another way.
  ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 9.9, '/IR:H/AR:H', 9.9],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 9.9, '/IR:H/AR:H', 10],
])('%s has the base score %d, also with %s, which makes %d of it', (base, score, more, overall) => {
  expect(baseScore(vectorOf(base))).toBe(score);
  expect(baseScore(vectorOf(`${base}${more}`))).toBe(score);
  expect(overallScore(vectorOf(base))).toBe(score);
  expect(overallScore(vectorOf(`${base}${more}`))).toBe(overall);
});
