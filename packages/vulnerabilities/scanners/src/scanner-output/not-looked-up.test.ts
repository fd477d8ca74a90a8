import { expect, test } from 'vitest';
import { grypeOutput } from './grype-output.ts';
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

test('grype lists nothing of a package whose distribution it does not know', () => {
  const alertsOf = (name: string, ...types: string[]) => ({
    package: { name, version: '1', purl: `pkg:deb/acme/${name}@1` },
    alerts: types.map((type) => ({ type, message: '' })),
  });
  const alertsByPackage = [
    alertsOf('openssl', 'distro-eol', 'distro-unknown'),
    alertsOf('zlib', 'distro-disabled'),
    alertsOf('curl', 'distro-eol'),
    { alerts: [{ type: 'distro-unknown' }] },
  ];
  const read = grypeOutput.read({ matches: [], alertsByPackage });
  const unread = read.ok ? read.value[0]!.unread : [];
  expect(unread.map(({ path, code, component }) => [path, code, component?.purl])).toEqual([
    ['/alertsByPackage/0', 'scan.not_scanned', 'pkg:deb/acme/openssl@1'],
    ['/alertsByPackage/1', 'scan.not_scanned', 'pkg:deb/acme/zlib@1'],
    ['/alertsByPackage/3', 'scan.not_scanned', undefined],
    ['/alertsByPackage', 'scan.other_kind', undefined],
  ]);
});

test('however many could not be looked up, each is named', () => {
  const dependencies = Array.from({ length: 150 }, (_, index) => ({ name: `a-${index}`, skip_reason: 'local' }));
  const read = pipAuditOutput.read({ dependencies });
  expect(read.ok && read.value[0]!.unread.at(-1)).toMatchObject({ component: { name: 'a-149' } });
});

test('what npm was told to be silent about may be any vulnerability', () => {
  const read = npmAuditOutput.read({ advisories: {}, metadata: {}, muted: [118, 119] });
  expect(read).toMatchObject({ ok: true, value: [{ unread: [{ code: 'scan.id_missing', count: 2 }] }] });
});
