import { expect, test } from 'vitest';
import { admissionCases } from './admission-cases.ts';
import { closingCases } from './closing-cases.ts';
import { licenceCases } from './licence-cases.ts';

type Case = readonly [name: string, verdict: string];

const TABLES: Readonly<Record<string, () => Iterable<Case> | Promise<Iterable<Case>>>> = {
  closing: closingCases,
  admission: admissionCases,
  licences: licenceCases,
};

test.each(Object.entries(TABLES))(
  'every case of %s is decided as it was, for the same reasons',
  async (name, cases) => {
    const lines = [...(await cases())].map((line) => line.join('\t'));
    expect(new Set(lines.map((line) => line.split('\t')[0])).size).toBe(lines.length);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`verdicts/${name}.tsv`);
  },
);
