import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../names.ts';
import { type BundledPackage, packageFolders } from './bundled-packages.ts';
import { noticesText } from './notices.ts';
import { packageList, shippedPackages } from './shipped-packages.ts';

let packages: BundledPackage[];

beforeAll(async () => {
  packages = await shippedPackages();
});

test('what is bundled is what the committed list says: node release/notices/write.ts', () => {
  const listed = readFileSync(join(import.meta.dirname, 'bundled-packages.txt'), 'utf8');
  expect(listed).toBe(packageList(packages));
});

test('every bundled package has a licence that is allowed', () => {
  const allowed = readFileSync(join(ROOT, 'allowed-licences.txt'), 'utf8').split('\n');
  const refused = packages.filter(
    ({ licence }) =>
      !licence
        .replace(/\+$/, '-or-later')
        .split(' OR ')
        .some((one) => allowed.includes(one)),
  );
  expect(refused.map(({ name, licence }) => `${name} ${licence}`)).toEqual([]);
});

test('the notices have the text of each licence', () => {
  const notices = noticesText(packages);
  for (const { name, version, texts } of packages) {
    expect(notices).toContain(`\n${name} ${version}\nLicence: `);
    expect(texts.join('').length, name).toBeGreaterThan(300);
  }
  expect(notices).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
});

test('a package within another and one with a scope are found by their own folders', () => {
  expect(
    packageFolders([
      'node_modules/a/b.js',
      'node_modules/a/node_modules/@s/c/d/e.js',
      'packages/program/cli/src/main.ts',
    ]),
  ).toEqual(['node_modules/a', 'node_modules/a/node_modules/@s/c']);
});
