import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bom } from '@colophon/sbom';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { assertValidSbom, readSbom, readSbomFile } from './sbom-file.ts';

const GOOD: Bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 };
const COMPONENT = { type: 'library', name: 'left-pad' };
const MARK = {
  agent: 'code-writer',
  model: 'model-1',
  model_version: '1',
  prompt: `sha256:${'ab'.repeat(32)}`,
  generated_at: '2026-01-30T12:00:00Z',
  reviewed_by: 'dana@example.com',
  reviewed_at: '2026-01-30T13:00:00Z',
};

function file(content: string): string {
  const path = join(temporaryFolder(onTestFinished), 'bom.json');
  writeFileSync(path, content);
  return path;
}

test('a valid document comes with its bytes, a byte order mark or not', async () => {
  expect(await readSbom(file(JSON.stringify(GOOD)))).toEqual(GOOD);
  expect(await readSbomFile(file(`\ufeff${JSON.stringify(GOOD)}`))).toMatchObject({ bom: GOOD });
});

test('the contract’s own shapes are read, unless the official schema alone is asked for', async () => {
  const path = file(JSON.stringify({ ...GOOD, components: [{ ...COMPONENT, 'x-ai-generated': MARK }] }));
  expect((await readSbom(path)).components).toHaveLength(1);
  await expect(readSbom(path, { profile: 'standard' })).rejects.toMatchObject({ code: 'cli.sbom_invalid' });
});

test.each([
  ['against its schema', { ...GOOD, components: [{ type: 'x', name: 'a' }] }, 'sbom.schema_value'],
  [
    'marked in part',
    { ...GOOD, components: [{ ...COMPONENT, 'x-ai-generated': { agent: 'a' } }] },
    'sbom.ai_field_missing',
  ],
])('a document %s is refused with its errors and their lines, and no warnings', async (_title, document, code) => {
  const path = file(JSON.stringify(document));
  const error = await readSbom(path).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'cli.sbom_invalid', kind: 'refused', facts: { checked: path } });
  expect(new Set(error.facts.issues.map((issue: { code: string }) => issue.code))).toEqual(new Set([code]));
  expect(error.facts.issues[0].line).toBe(1);
});

test('a number that would be written back as another one is refused', async () => {
  const path = file(JSON.stringify(GOOD).replace('"version":1', '"version":12345678901234567890'));
  await expect(readSbom(path)).rejects.toMatchObject({ facts: { issues: [{ code: 'json.number_range' }] } });
});

test('what is made here is held against the schema before it is written', () => {
  assertValidSbom({ ...GOOD, components: [COMPONENT] });
  const made = { ...GOOD, components: [{ name: 'left-pad' }] } as unknown as Bom;
  expect(() => assertValidSbom(made)).toThrow(
    expect.objectContaining({
      code: 'cli.sbom_invalid',
      facts: { issues: [expect.objectContaining({ path: '/components/0', code: 'sbom.schema_required' })] },
    }),
  );
});
