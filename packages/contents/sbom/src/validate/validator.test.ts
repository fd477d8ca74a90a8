import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import { VENDORED, WHOLE } from '../../test/whole-bom.ts';
import { type Bom, SPEC_VERSIONS } from '../document/bom.ts';
import { createBomValidator, MOST_ISSUES } from './validator.ts';

const validator = createBomValidator(readOfficialSchema);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const validate = (text: string, options = {}) => validator.validateBytes(bytesOf(text), options);
const codes = (text: string) => validate(text).issues.map(({ severity, code }) => `${severity} ${code}`);

const HEAD = '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1,';

describe('bytes that are no document', () => {
  test.each([
    ['nothing', '', 'error json.syntax'],
    ['a number', '1', 'error sbom.not_cyclonedx'],
    ['null', 'null', 'error sbom.not_cyclonedx'],
    ['another JSON document', '{"spdxVersion":"SPDX-2.3"}', 'error sbom.not_cyclonedx'],
    ['XML', '<?xml version="1.0"?><bom/>', 'error sbom.not_cyclonedx'],
    ['an unknown version', '{"bomFormat":"CycloneDX","specVersion":"1.1"}', 'error sbom.spec_version_unknown'],
    ['a version that is no text', '{"bomFormat":"CycloneDX","specVersion":1.6}', 'error sbom.spec_version_unknown'],
    ['a name twice', '{"bomFormat":"CycloneDX","specVersion":"1.6","specVersion":"1.5"}', 'error json.duplicate_key'],
    ['a bomb', '['.repeat(100_000), 'error json.too_deep'],
  ])('%s', (_title, text, issue) => {
    expect(codes(text)).toEqual([issue]);
    expect(validate(text)).toMatchObject({ valid: false });
  });

  test.each(['{"spdxVersion":"SPDX-2.3"}', '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}'])(
    'SPDX is called by its name: %s',
    (text) => {
      expect(validate(text).issues[0]?.message).toContain('SPDX');
      expect(validate('{"@context":"https://openvex.dev/ns/v0.2.0"}').issues[0]?.message).not.toContain('SPDX');
    },
  );

  test('what is not there is said of the document, with a line; a limit is named', () => {
    expect(validate('{"bomFormat":"CycloneDX"}').issues).toMatchObject([{ path: '', line: 1, column: 1 }]);
    expect(validate('['.repeat(1000)).issues).toMatchObject([{ expected: 'at most 128 levels' }]);
  });

  test('no UTF-8', () => {
    const { issues } = validator.validateBytes(Uint8Array.of(0x7b, 0xff));
    expect(issues).toMatchObject([{ code: 'json.not_utf8', severity: 'error' }]);
  });

  test('more than is read', () => {
    expect(validate(JSON.stringify(WHOLE), { maxBytes: 100 }).issues).toMatchObject([
      { code: 'json.too_large', expected: 'at most 100 bytes' },
    ]);
  });

  test('a mistake in the JSON stands where it is', () => {
    expect(validate(`${HEAD}\n"components": [\n{"type": "library" "name": "a"}]}`).issues).toMatchObject([
      { code: 'json.syntax', line: 3, column: 20 },
    ]);
  });
});

describe('deviations that a reader may pass over', () => {
  const text = JSON.stringify(WHOLE);

  test('a byte order mark is noted', () => {
    expect(codes(`\ufeff${text}`)).toEqual(['note json.bom']);
    expect(validate(`\ufeff${text}`)).toMatchObject({ valid: true, document: WHOLE });
  });

  test.each([
    ['a NUL', '"description":"a\\u0000b",', 'json.nul'],
    ['half of a pair', '"description":"\\ud800",', 'json.lone_surrogate'],
  ])('%s is a warning', (_title, member, code) => {
    const bent = text.replace('"type":"library",', `"type":"library",${member}`);
    expect(codes(bent)).toEqual([`warning ${code}`]);
    expect(validate(bent).issues).toMatchObject([{ line: 1 }]);
  });

  test('a number that cannot be kept is a warning', () => {
    expect(codes(text.replace('"version":1,', '"version":12345678901234567890,'))).toEqual([
      'warning json.number_range',
    ]);
  });
});

describe('schema faults', () => {
  test.each([
    ['a value', '"components":[{"type":"libary","name":"a"}]', '/components/0/type', 'sbom.schema_value'],
    [
      'an unknown member',
      '"components":[{"type":"library","name":"a","licences":[]}]',
      '/components/0/licences',
      'sbom.schema_unknown_member',
    ],
    ['a missing member', '"components":[{"type":"library"}]', '/components/0', 'sbom.schema_required'],
    ['a type', '"components":{}', '/components', 'sbom.schema_type'],
    ['a form', '"serialNumber":"urn:uuid:1"', '/serialNumber', 'sbom.schema_form'],
    [
      'a range',
      '"components":[{"type":"library","name":"a","evidence":{"identity":{"field":"name","confidence":2}}}]',
      '/components/0/evidence/identity/confidence',
      'sbom.schema_range',
    ],
    [
      'an item twice',
      '"dependencies":[{"ref":"a","dependsOn":["b","b"]}]',
      '/dependencies/0/dependsOn/1',
      'sbom.schema_duplicate_item',
    ],
    [
      'two forms at once',
      '"components":[{"type":"library","name":"a","licenses":[{"license":{"id":"MIT","name":"MIT"}}]}]',
      '/components/0/licenses/0/license',
      'sbom.schema_choice',
    ],
    [
      'deep in a choice',
      '"components":[{"type":"library","name":"a","licenses":[{"license":{"id":"Apache 2.0"}}]}]',
      '/components/0/licenses/0/license/id',
      'sbom.schema_value',
    ],
  ])('%s: one sentence, at its place', (_title, member, path, code) => {
    const errors = validate(`${HEAD}\n${member}}`).issues.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ path, code, line: 2, message: expect.stringMatching(/\.$/) }]);
  });

  test('a long list of allowed values is counted, and a near one suggested', () => {
    const id = (text: string) =>
      validate(`${HEAD}"components":[{"type":"library","name":"a","licenses":[{"license":{"id":"${text}"}}]}]}`)
        .issues[0]?.expected;
    expect(id('nothing like it')).toMatch(/^one of \d{3} values$/);
    expect(id('apache 2.0')).toBe('perhaps "Apache-2.0"');
  });

  test('a name from outside is shown without what is not printable, and is found all the same', () => {
    const { issues } = validate(`${HEAD}\n"\\u202e${'x'.repeat(200)}":1}`);
    expect(issues[0]).toMatchObject({ code: 'sbom.schema_unknown_member', line: 2 });
    expect(issues[0]!.path).toMatch(/^\/\\u202ex{63}\.\.\.$/);
  });

  test('the rules that the library loosens are the official ones', () => {
    expect(codes('{"bomFormat":"CycloneDX","specVersion":"1.4"}')).toContain('error sbom.schema_required');
    expect(codes('{"bomFormat":"CycloneDX","specVersion":"1.5"}')).not.toContain('error sbom.schema_required');
    const withSchema = (version: string, schema: string) =>
      codes(`{"$schema":"${schema}","bomFormat":"CycloneDX","specVersion":"${version}","version":1}`);
    expect(withSchema('1.5', 'http://cyclonedx.org/schema/bom-1.5.schema.json')).not.toContain(
      'error sbom.schema_value',
    );
    expect(withSchema('1.5', 'https://example.com')).toContain('error sbom.schema_value');
    expect(withSchema('1.6', 'https://example.com')).not.toContain('error sbom.schema_value');
  });
});

describe('hostile documents', () => {
  const list = (length: number, item: (index: number) => string) =>
    Array.from({ length }, (_, index) => item(index)).join(',');

  test('100,000 bad components: so many issues, and a note that there may be more', () => {
    const { issues, valid } = validate(`${HEAD}"components":[${list(100_000, () => '{"type":"x","name":"a"}')}]}`);
    expect(valid).toBe(false);
    expect(issues.filter(({ code }) => code === 'sbom.schema_value')).toHaveLength(MOST_ISSUES);
    expect(issues.filter(({ code }) => code === 'sbom.more_issues')).toHaveLength(1);
  });

  test('a long list in a choice of forms is explained as far as any other', () => {
    const licences = list(3_000, (index) => `{"license":{"id":"X${index}"}}`);
    const { issues } = validate(`${HEAD}"components":[{"type":"library","name":"a","licenses":[${licences}]}]}`);
    expect(issues.filter(({ code }) => code === 'sbom.schema_value')).toHaveLength(MOST_ISSUES);
  });

  test('issues beyond the limit are counted', () => {
    const { issues, omitted } = validate(`${HEAD}"dependencies":[${list(3_000, (index) => `{"ref":"r${index}"}`)}]}`);
    expect(issues.filter(({ code }) => code === 'sbom.ref_unknown').length).toBeLessThanOrEqual(MOST_ISSUES);
    expect(omitted).toBeGreaterThan(1_900);
    expect(issues.at(-1)).toMatchObject({ code: 'sbom.more_issues', severity: 'note' });
  });

  test('a circle of 100,000 and as many in a row', () => {
    const components = list(100_000, (index) => `{"type":"library","name":"a","bom-ref":"r${index}"}`);
    const edges = list(100_000, (index) => `{"ref":"r${index}","dependsOn":["r${(index + 1) % 100_000}"]}`);
    const { issues, valid } = validate(`${HEAD}"components":[${components}],"dependencies":[${edges}]}`);
    expect(valid).toBe(true);
    expect(issues.filter(({ code }) => code === 'sbom.dependency_cycle')).toMatchObject([
      { severity: 'note', message: expect.stringContaining('100000') },
    ]);
  });

  test('components whose hashes collide', () => {
    const item = (index: number) =>
      `{"type":"library","name":"a","licenses":[{"license":{"name":"x","properties":[{"name":"y","value":"${index}"}]}}]}`;
    expect(validate(`${HEAD}"components":[${list(20_000, item)}]}`).valid).toBe(true);
    expect(codes(`${HEAD}"components":[${list(20_000, item)},${item(7)}]}`)).toContain(
      'error sbom.schema_duplicate_item',
    );
  });

  test('addresses, times and hashes of megabytes', () => {
    for (const text of [`${'a.'.repeat(480)}a@b.co`, 't'.repeat(5_000_000)]) {
      expect(codes(`${HEAD}"metadata":{"timestamp":"${text}","authors":[{"email":"${text}"}]}}`)).toContain(
        'error sbom.schema_form',
      );
    }
  });
});

describe('whatever comes', () => {
  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        validator.validateBytes(bytes);
      }),
    );
  });

  test.each(SPEC_VERSIONS)(
    'no document of %s that was changed anywhere makes it throw, and what is said has a line',
    (specVersion) => {
      const whole = {
        ...WHOLE,
        specVersion,
        services: [{ name: 's', 'bom-ref': 's' }],
        compositions: [{ aggregate: 'complete', assemblies: ['s'] }],
        vulnerabilities: [{ affects: [{ ref: 's' }] }],
      };
      const junk = fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom(null, [], {}, [null], [[]], { name: 1 }, '', -1),
      );
      fc.assert(
        fc.property(fc.nat(), junk, (seed, value) => {
          const changed = changedAt(whole, seed, value);
          const text = JSON.stringify(changed, null, 1);
          const { issues, valid } = validator.validateBytes(bytesOf(text), { profile: 'spec' });
          for (const issue of issues)
            expect(issue).toMatchObject({ line: expect.any(Number), code: expect.stringMatching(/^(?:sbom|json)\./) });
          expect(valid).toBe(issues.every(({ severity }) => severity !== 'error'));
        }),
        { numRuns: 150 },
      );
    },
  );

  test('what Ajv refuses is explained, and nothing else', () => {
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue({ maxDepth: 1 }), (seed, value) => {
        const changed = changedAt({ ...WHOLE, components: [VENDORED] }, seed, value) as Bom;
        if (changed?.specVersion !== '1.6' || changed.bomFormat !== 'CycloneDX') return;
        const errors = validator.validateBom(changed).issues.filter(({ code }) => code.startsWith('sbom.schema_'));
        // Without words of its own the fault would stand at the whole document.
        for (const { path, code } of errors) expect([path, code]).not.toEqual(['', 'sbom.schema_choice']);
      }),
      { numRuns: 500 },
    );
  });
});

/** The document with another value in one place, which the seed chooses. */
function changedAt(document: unknown, seed: number, value: unknown): unknown {
  const copy = structuredClone(document);
  const places: Array<[object, string]> = [];
  (function visit(inner: unknown): void {
    if (typeof inner !== 'object' || inner === null) return;
    for (const name of Object.keys(inner)) {
      places.push([inner, name]);
      visit(inner[name as never]);
    }
  })(copy);
  const [holder, name] = places[seed % places.length]!;
  holder[name as never] = value as never;
  return copy;
}
