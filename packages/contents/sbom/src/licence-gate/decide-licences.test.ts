import { type LicencePolicy, type LicenceTexts, loadLicenceTexts, parseLicenceList } from '@colophon/licences';
import fc from 'fast-check';
import list from 'spdx-license-list/full.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bom, Component } from '../document/bom.ts';
import { decideLicences, type LicenceOffence } from './decide-licences.ts';

const GPL = list['GPL-3.0-only']!.licenseText;
let texts: LicenceTexts;
beforeAll(async () => {
  texts = await loadLicenceTexts();
});

function licences(text: string) {
  const parsed = parseLicenceList(text);
  return parsed.ok ? parsed.value : expect.fail(text);
}
const ALLOW: LicencePolicy = { allow: licences('MIT, Apache-2.0, LGPL-2.1-or-later') };
const bomOf = (...components: unknown[]): Bom =>
  ({ bomFormat: 'CycloneDX', specVersion: '1.7', components }) as unknown as Bom;
const component = (licenses: unknown, more: Partial<Component> = {}) => ({
  type: 'library',
  name: 'a',
  licenses,
  ...more,
});
const base64 = (text: string) => ({
  contentType: 'text/plain',
  encoding: 'base64',
  content: Buffer.from(text).toString('base64'),
});
const AGENT = [{ name: 'vendor:authored-by', value: 'autonomous_agent' }];

function offences(policy: LicencePolicy, ...components: unknown[]): readonly LicenceOffence[] {
  return decideLicences(bomOf(...components), policy, texts).offending;
}
const code = (licenses: unknown, policy = ALLOW) => offences(policy, component(licenses))[0]?.code ?? 'allowed';

describe('each form of a licence', () => {
  test.each<[string, unknown, string]>([
    ['an id', [{ license: { id: 'MIT' } }], 'allowed'],
    ['an id that is not allowed', [{ license: { id: 'GPL-3.0-only' } }], 'licence.not_allowed'],
    ['an id that SPDX does not list', [{ license: { id: 'Acme-1.0' } }], 'licence.unknown'],
    ['an id in other case', [{ license: { id: 'mit' } }], 'allowed'],
    ['an expression with a choice', [{ expression: 'GPL-3.0-only OR MIT' }], 'allowed'],
    ['an expression of both', [{ expression: 'GPL-3.0-only AND MIT' }], 'licence.not_allowed'],
    ['a choice beside what nobody lists', [{ expression: 'Acme-1.0 OR MIT' }], 'allowed'],
    ['both of which one is listed by nobody', [{ expression: 'Acme-1.0 AND MIT' }], 'licence.unknown'],
    ['what is no expression', [{ expression: 'Apache 2.0' }], 'licence.unknown'],
    ['an exception that is not on the list', [{ expression: 'Apache-2.0 WITH LLVM-exception' }], 'licence.not_allowed'],
    ['NONE', [{ expression: 'NONE' }], 'licence.unknown'],
    ['NOASSERTION', [{ license: { name: 'NOASSERTION' } }], 'licence.unknown'],
    ['a LicenseRef', [{ expression: 'LicenseRef-Acme' }], 'licence.not_allowed'],
    ['a name that is an id', [{ license: { name: 'MIT' } }], 'allowed'],
    ['a full name of SPDX', [{ license: { name: 'Apache License 2.0' } }], 'allowed'],
    [
      'a full name of what is not allowed',
      [{ license: { name: 'GNU General Public License v3.0 only' } }],
      'licence.not_allowed',
    ],
    ['a name that is an expression', [{ license: { name: '(MIT OR GPL-3.0)' } }], 'allowed'],
    ['a name of its own', [{ license: { name: 'Acme Licence' } }], 'licence.unknown'],
    ['nothing', undefined, 'licence.missing'],
    ['an empty list', [], 'licence.missing'],
    ['an empty licence', [{ license: {} }], 'licence.missing'],
    ['an empty name', [{ license: { name: ' ' } }], 'licence.missing'],
    ['two allowed entries', [{ license: { id: 'MIT' } }, { license: { id: 'Apache-2.0' } }], 'allowed'],
    [
      'two entries of which one is not allowed',
      [{ license: { id: 'MIT' } }, { license: { id: 'ISC' } }],
      'licence.not_allowed',
    ],
    [
      'two entries of which one is unknown',
      [{ license: { id: 'MIT' } }, { license: { name: '?' } }],
      'licence.unknown',
    ],
    [
      'a text alone, by name',
      [{ license: { name: 'file: LICENSE', text: { content: list['MIT']!.licenseText } } }],
      'allowed',
    ],
    ['a text alone in base64', [{ license: { name: 'file: LICENSE', text: base64(GPL) } }], 'licence.not_allowed'],
    ['a text that is none', [{ license: { name: 'file: LICENSE', text: base64('All yours.') } }], 'licence.unknown'],
    [
      'a text in broken base64',
      [{ license: { name: 'x', text: { encoding: 'base64', content: '%%%' } } }],
      'licence.unknown',
    ],
    ['a text that fits', [{ license: { id: 'MIT', text: base64(list['MIT']!.licenseText) } }], 'allowed'],
    ['a text that contradicts', [{ license: { id: 'MIT', text: base64(GPL) } }], 'licence.text_contradicts'],
    [
      'a text that holds more',
      [{ license: { id: 'MIT', text: base64(`${list['MIT']!.licenseText}\n${GPL}`) } }],
      'licence.text_contradicts',
    ],
    [
      'a text that holds more, which is allowed too',
      [{ license: { id: 'MIT', text: base64(`${list['MIT']!.licenseText}\n${list['Apache-2.0']!.licenseText}`) } }],
      'allowed',
    ],
    [
      'a text with a condition more',
      [{ license: { id: 'MIT', text: base64(`${list['MIT']!.licenseText}\nNobody may sell it.`) } }],
      'licence.text_changed',
    ],
    ['a text that nobody knows', [{ license: { id: 'MIT', text: base64('All yours.') } }], 'licence.text_unknown'],
    [
      'a text that is an id',
      [{ license: { id: 'MIT', text: { content: 'GPL-3.0-only' } } }],
      'licence.text_contradicts',
    ],
    ['a text that is its id', [{ license: { id: 'MIT', text: { content: ' MIT ' } } }], 'allowed'],
    [
      'a text that cannot be read',
      [{ license: { id: 'MIT', text: { encoding: 'base64', content: '%%%' } } }],
      'licence.text_unknown',
    ],
    [
      'a choice of which the text holds both',
      [
        {
          expression: 'MIT OR GPL-3.0-only',
          expressionDetails: [{ text: base64(`${list['MIT']!.licenseText}\n${GPL}`) }],
        },
      ],
      'allowed',
    ],
    [
      'a text that two ids share, of which one is stated',
      [{ license: { id: 'LGPL-2.1-or-later', text: base64(list['LGPL-2.1-only']!.licenseText) } }],
      'allowed',
    ],
    [
      'an unknown name over a text that holds what is not allowed',
      [{ license: { name: 'x', text: base64(`Mine, and this:\n${list['MIT']!.licenseText}\n${GPL}`) } }],
      'licence.not_allowed',
    ],
    [
      'a text of a part of an expression',
      [{ expression: 'MIT OR ISC', expressionDetails: [{ licenseIdentifier: 'MIT', text: { content: GPL } }] }],
      'licence.text_contradicts',
    ],
    ['what is no entry', ['MIT', null, 7], 'licence.missing'],
    ['what is no list', { license: { id: 'MIT' } }, 'licence.missing'],
  ])('%s', (_, licenses, expected) => {
    expect(code(licenses)).toBe(expected);
  });

  test('a name of its own is allowed by that name, and no other', () => {
    const policy = { allow: licences('"Acme Licence, v1"') };
    expect(code([{ license: { name: 'Acme  Licence, v1' } }], policy)).toBe('allowed');
    expect(code([{ license: { name: 'acme licence, v1' } }], policy)).toBe('licence.unknown');
    expect(code([{ license: { name: 'ACME licence, v1' } }], { deny: policy.allow })).toBe('licence.denied');
  });
});

describe('a name or a reference that the policy lists', () => {
  const policy = { allow: licences('MIT, "Public Domain", LicenseRef-Acme') };
  const of = (licence: object, text: string) => code([{ license: { ...licence, text: base64(text) } }], policy);
  const acme = 'Acme grants you whatever it likes to, for as long as it does.';
  test('has its own text', () => {
    expect(of({ name: 'Public Domain' }, acme)).toBe('allowed');
    expect(of({ name: 'LicenseRef-Acme' }, acme)).toBe('allowed');
    expect(of({ name: 'LicenseRef-Acme' }, `${list['MIT']!.licenseText}\n${acme}`)).toBe('allowed');
  });
  test('does not cover the text of a licence that is not allowed', () => {
    expect(of({ name: 'Public Domain' }, GPL)).toBe('licence.not_allowed');
    expect(of({ name: 'LicenseRef-Acme' }, GPL)).toBe('licence.text_contradicts');
    expect(of({ name: 'LicenseRef-Acme' }, `${GPL}\n${acme}`)).toBe('licence.text_contradicts');
  });
});

describe('the policy', () => {
  test('what is denied is denied, also where it is allowed too', () => {
    expect(code([{ license: { id: 'MIT' } }], { ...ALLOW, deny: licences('MIT') })).toBe('licence.denied');
    expect(code([{ expression: 'MIT OR Apache-2.0' }], { ...ALLOW, deny: licences('MIT') })).toBe('allowed');
  });
  test('with a deny list alone every other licence that SPDX lists is allowed', () => {
    const policy = { deny: licences('GPL-3.0-or-later') };
    expect(code([{ license: { id: 'Zlib' } }], policy)).toBe('allowed');
    expect(code([{ license: { id: 'GPL-3.0-only' } }], policy)).toBe('licence.denied');
    expect(code([{ expression: 'LicenseRef-Acme' }], policy)).toBe('licence.unknown');
    expect(code(undefined, policy)).toBe('licence.missing');
  });
  test('the unknown is let pass where it is said so, and listed; the known stays refused', () => {
    const unknown = component([{ license: { name: 'Acme' } }], { name: 'unknown' });
    const missing = component(undefined, { name: 'missing' });
    const refused = component([{ license: { id: 'ISC' } }], { name: 'refused' });
    const decision = decideLicences(bomOf(unknown, missing, refused), { ...ALLOW, allowUnknown: true });
    expect(decision.offending.map(({ name }) => name)).toEqual(['refused']);
    expect(decision.unknown.map(({ name, code }) => [name, code])).toEqual([
      ['unknown', 'licence.unknown'],
      ['missing', 'licence.missing'],
    ]);
  });
  test('the documented artifact is judged only where it is said so; what is in it always', () => {
    const root = {
      ...component([{ license: { name: 'Ours' } }], { name: 'root' }),
      components: [component(undefined, { name: 'part' })],
    };
    const bom = { ...bomOf(), metadata: { component: root } } as unknown as Bom;
    expect(decideLicences(bom, ALLOW).offending.map(({ name }) => name)).toEqual(['part']);
    expect(decideLicences(bom, { ...ALLOW, includeRoot: true }).offending.map(({ name }) => name)).toEqual([
      'root',
      'part',
    ]);
  });
  test('what is excluded is judged unless it is said otherwise', () => {
    const excluded = component(undefined, { scope: 'excluded' });
    expect(offences(ALLOW, excluded)).toHaveLength(1);
    expect(offences({ ...ALLOW, skipExcluded: true }, excluded)).toHaveLength(0);
  });
});

describe('a text that is another licence than is stated', () => {
  const [mit, apache] = [list['MIT']!.licenseText, list['Apache-2.0']!.licenseText];
  test('is told also where both are allowed', () => {
    const decision = decideLicences(bomOf(component([{ license: { id: 'MIT', text: base64(apache) } }])), ALLOW, texts);
    expect(decision).toMatchObject({
      allowed: true,
      offending: [],
      contradicting: [{ code: 'licence.text_contradicts', licences: [{ stated: 'MIT' }, { stated: 'Apache-2.0' }] }],
    });
  });
  test('is told beside another reason', () => {
    const policy = { ...ALLOW, deny: licences('GPL-3.0-only') };
    const decision = decideLicences(bomOf(component([{ license: { id: 'MIT', text: base64(GPL) } }])), policy, texts);
    expect(decision.offending.map(({ code }) => code)).toEqual(['licence.denied']);
    expect(decision.contradicting.map(({ code }) => code)).toEqual(['licence.text_contradicts']);
  });
  test('shows what was added, and what several licences share', () => {
    const changed = component([{ license: { id: 'MIT', text: base64(`${mit}\nNobody may sell it.`) } }]);
    const shared = component([{ license: { name: 'COPYING', text: base64(GPL) } }]);
    const [first, second] = offences(ALLOW, changed, shared);
    expect(first!.licences[1]).toMatchObject({
      stated: 'MIT with additions',
      additions: ['Nobody may sell it'],
      omissions: [],
    });
    expect(second!.licences[0]).toMatchObject({ choice: ['GPL-3.0-only', 'GPL-3.0-or-later'], verdict: 'not_allowed' });
  });
  test('is not let pass with the unknown where words were added, and is where nobody knows the text', () => {
    const policy = { ...ALLOW, allowUnknown: true };
    expect(code([{ license: { id: 'MIT', text: base64(`${mit}\nNobody may sell it.`) } }], policy)).toBe(
      'licence.text_changed',
    );
    const decision = decideLicences(
      bomOf(component([{ license: { id: 'MIT', text: base64('Mine.') } }])),
      policy,
      texts,
    );
    expect(decision.unknown.map(({ code }) => code)).toEqual(['licence.text_unknown']);
  });
});

describe('declared and concluded', () => {
  const declared = { license: { id: 'GPL-3.0-only', acknowledgement: 'declared' } };
  const concluded = { license: { id: 'MIT', acknowledgement: 'concluded' } };
  test('what was concluded counts', () => {
    expect(code([declared, concluded])).toBe('allowed');
    expect(code([{ license: { ...declared.license, acknowledgement: 'concluded' } }, { license: { id: 'MIT' } }])).toBe(
      'licence.not_allowed',
    );
  });
  test('of what an agent wrote everything counts', () => {
    expect(offences(ALLOW, component([declared, concluded], { properties: AGENT }))[0]?.code).toBe(
      'licence.not_allowed',
    );
  });
});

describe('what was made from another package', () => {
  const vendored = (more: object) =>
    component([{ license: { id: 'MIT' } }], {
      'bom-ref': 'vendored:src/pad.js',
      name: 'left-pad-vendored',
      properties: [...AGENT, { name: 'vendor:source-package', value: '@acme/left-pad@1.3.0' }],
      ...more,
    });
  const source = component([{ license: { id: 'GPL-3.0-only' } }], {
    group: '@acme',
    name: 'left-pad',
    version: '1.3.0',
    purl: 'pkg:npm/%40acme/left-pad@1.3.0',
  });

  test('is under the licence of its ancestor too', () => {
    expect(offences(ALLOW, vendored({ pedigree: { ancestors: [source] } }))).toMatchObject([
      {
        code: 'licence.source_not_allowed',
        bom_ref: 'vendored:src/pad.js',
        agent_authored: true,
        origin: { source_package: '@acme/left-pad@1.3.0', purl: source.purl, licences: ['GPL-3.0-only'] },
        licences: [
          { stated: 'MIT', verdict: 'allowed', path: '/components/0/licenses/0/license/id' },
          { stated: 'GPL-3.0-only', from: 'source', path: '/components/0/pedigree/ancestors/0/licenses/0/license/id' },
        ],
      },
    ]);
  });
  test('is under the licence of that package where the document has it', () => {
    const codes = offences(ALLOW, vendored({}), source).map(({ code, path }) => [path, code]);
    expect(codes).toEqual([
      ['/components/0', 'licence.source_not_allowed'],
      ['/components/1', 'licence.not_allowed'],
    ]);
  });
  test.each(['@acme:left-pad@1.3.0', 'pkg:npm/%40acme/left-pad@1.3.0'])('also where it is named %s', (value) => {
    const properties = [...AGENT, { name: 'vendor:source-package', value }];
    expect(offences(ALLOW, vendored({ properties }), source)[0]?.code).toBe('licence.source_not_allowed');
  });
  test('also where a person did it', () => {
    const properties = [{ name: 'vendor:source-package', value: '@acme/left-pad@1.3.0' }];
    expect(offences(ALLOW, vendored({ properties }), source)[0]).toMatchObject({
      code: 'licence.source_not_allowed',
      agent_authored: false,
    });
  });
  test('a pedigree of what nobody rewrote says nothing', () => {
    expect(offences(ALLOW, vendored({ properties: [], pedigree: { ancestors: [source] } }))).toEqual([]);
  });
  test.each([7, null, [null, 'x', {}], {}])('a pedigree of %j does no harm', (ancestors) => {
    expect(offences(ALLOW, vendored({ pedigree: { ancestors } }))).toEqual([]);
  });
});

test('what an agent wrote comes first, each with its place', () => {
  const bad = [{ license: { id: 'ISC' } }];
  const found = offences(
    ALLOW,
    component(bad, { name: 'one', components: [component(bad, { name: 'nested', properties: AGENT }) as Component] }),
    component(bad, { name: 'two', 'x-ai-generated': { agent: 'coder' } }),
  );
  expect(found.map(({ name, agent_authored, path }) => [name, agent_authored, path])).toEqual([
    ['nested', true, '/components/0/components/0'],
    ['two', true, '/components/1'],
    ['one', false, '/components/0'],
  ]);
});

describe('hostile documents', () => {
  test('fifty thousand components with expressions, names and texts are decided in one pass', () => {
    const licenses = [
      [{ expression: 'MIT OR (ISC AND GPL-2.0+)' }],
      [{ license: { name: 'Acme' } }],
      [{ license: { id: 'MIT', text: base64(GPL) } }],
    ];
    const many = Array.from({ length: 50_000 }, (_, index) =>
      component(licenses[index % 3], {
        name: `n${index}`,
        properties: [{ name: 'vendor:source-package', value: `n${index - 1}@undefined` }],
      }),
    );
    const decision = decideLicences(bomOf(...many), ALLOW, texts);
    expect([decision.component_count, decision.allowed]).toEqual([50_000, false]);
  });
  test('a hundred thousand parentheses and a megabyte of anything', () => {
    const deep = `${'('.repeat(100_000)}MIT${')'.repeat(100_000)}`;
    expect(code([{ expression: deep }])).toBe('allowed');
    expect(code([{ expression: 'ISC AND '.repeat(100_000).concat('MIT') }])).toBe('licence.not_allowed');
    expect(code([{ license: { name: 'x '.repeat(500_000) } }])).toBe('licence.unknown');
    const [offence] = offences(ALLOW, component([{ license: { name: 'x'.repeat(1_000_000) } }]));
    expect(JSON.stringify(offence).length).toBeLessThan(2000);
  });
  test('whatever stands where licences stand, it is decided', () => {
    const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom('MIT', 'ISC OR', 'NONE'));
    const entry = fc.record(
      {
        license: fc.oneof(
          leaf,
          fc.record({ id: leaf, name: leaf, text: leaf, acknowledgement: leaf }, { requiredKeys: [] }),
        ),
        expression: leaf,
        expressionDetails: leaf,
        acknowledgement: leaf,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(leaf, fc.array(fc.oneof(leaf, entry))), fc.jsonValue(), (licenses, pedigree) => {
        const bom = bomOf({ ...component(licenses, { properties: AGENT }), pedigree });
        expect(decideLicences(bom, ALLOW, texts)).toEqual(decideLicences(bom, ALLOW, texts));
      }),
    );
  });
});
