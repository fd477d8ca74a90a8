import { expect, test } from 'vitest';
import { npmAuditOutput } from './npm-audit-output.ts';
import { pipAuditOutput } from './pip-audit-output.ts';

test('pip-audit says which package it could not look up, where it names one', () => {
  const skip_reason = 'not on PyPI';
  const read = pipAuditOutput.read({ dependencies: [{ name: 'shop_local', skip_reason }, { skip_reason }] });
  expect(read).toMatchObject({ ok: true, value: [{ unread: [{ code: 'scan.not_scanned' }, {}] }] });
  expect(read.ok && read.value[0]?.unread.map(({ component }) => component)).toEqual([
    { name: 'shop_local', purl: 'pkg:pypi/shop-local' },
    undefined,
  ]);
});

test('what npm was told to be silent about may be any vulnerability', () => {
  const read = npmAuditOutput.read({ advisories: {}, metadata: {}, muted: [118, 119] });
  expect(read).toMatchObject({ ok: true, value: [{ unread: [{ code: 'scan.id_missing', count: 2 }] }] });
});
