import { expect, test } from 'vitest';
import { bomLinks } from './bom-links.ts';

const BOM = {
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 2,
  metadata: { component: { name: 'Shop', version: '1', 'bom-ref': 'root' } },
  components: [
    {
      name: 'lib',
      purl: 'pkg:npm/lib@1',
      'bom-ref': 'a b',
      components: [{ name: 'inner', purl: 'pkg:npm/inner@1', 'bom-ref': 'inner' }],
    },
    { name: 'without a package URL', 'bom-ref': 'x' },
    { name: 'without a reference', purl: 'pkg:npm/other@1' },
  ],
};
const LINK = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/2';

test('everything in an SBOM that has an identifier has its links, as the standard and as people write them', () => {
  expect(Object.fromEntries(bomLinks(BOM))).toEqual({
    'pkg:generic/shop@1': [LINK, `${LINK}#root`],
    'pkg:npm/lib@1': [`${LINK}#a b`, `${LINK}#a%20b`],
    'pkg:npm/inner@1': [`${LINK}#inner`],
    'pkg:npm/other@1': [],
  });
});

test('what is inside the documented artifact has its links, too', () => {
  const component = { name: 'Shop', components: [{ name: 'in', purl: 'pkg:npm/in@1', 'bom-ref': 'in' }] };
  expect(bomLinks({ ...BOM, metadata: { component } }).get('pkg:npm/in@1')).toEqual([`${LINK}#in`]);
});

test('one package that stands in two places has the links of both', () => {
  const components = ['one', 'two'].map((ref) => ({ name: 'lib', purl: 'pkg:npm/lib@1', 'bom-ref': ref }));
  expect(
    bomLinks({ ...BOM, components })
      .get('pkg:npm/lib@1')
      ?.toSorted(),
  ).toEqual([`${LINK}#one`, `${LINK}#two`]);
});

test('no link leads to an SBOM without a serial number; one without a version is the first', () => {
  const { serialNumber, version: _, ...bom } = BOM;
  expect(bomLinks(bom).size).toBe(0);
  expect(bomLinks({ ...bom, serialNumber }).get('pkg:npm/inner@1')).toEqual([`${LINK.slice(0, -1)}1#inner`]);
});
