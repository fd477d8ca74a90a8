import { describe, expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import { LIBRARY, properties, VARIANT_A, VARIANT_B, VENDORED, WHOLE, withComponents } from '../../test/whole-bom.ts';
import type { Bom, Component } from '../document/bom.ts';
import { createBomValidator, type ValidationOptions } from '../validate/validator.ts';
import { BOM_CHECK_CODES } from './checks.ts';

const validator = createBomValidator(readOfficialSchema);

/** Severity, code and path of everything that is said. */
function said(bom: Bom, options: ValidationOptions = {}): string[] {
  return validator.validateBom(bom, options).issues.map(({ severity, code, path }) => `${severity} ${code} ${path}`);
}

function metadata(change: object): Bom {
  return { ...WHOLE, metadata: { ...WHOLE.metadata, ...change } };
}

function without<T extends object>(value: T, ...names: string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as T;
}

/** The library with variant A as properties, of which some are changed; undefined leaves one out. */
function variantA(change: { readonly [field: string]: string | undefined }, basis?: string): Bom {
  return withComponents({
    ...LIBRARY,
    properties: [
      ...properties('colophon:ai:', stated({ ...VARIANT_A, ...change })),
      ...(basis === undefined ? [] : [{ name: 'colophon:ai:basis', value: basis }]),
      ...(basis === 'verified' ? [{ name: 'colophon:ai:bundle', value: `sha256:${'cd'.repeat(32)}` }] : []),
    ],
  });
}

/** The library with variant B, of which some properties are changed. */
/** A mark that says its basis, in variant B, with what it says of its source. */
function markedInB(source: { readonly [name: string]: string }): Bom {
  const byAgent = { 'authored-by': 'autonomous_agent', 'agent-id': 'code-writer', 'agent-model': 'large-model' };
  const basis = { name: 'colophon:ai:basis', value: 'declared' };
  return withComponents({ ...LIBRARY, properties: [...properties('vendor:', { ...source, ...byAgent }), basis] });
}

function variantB(change: { readonly [name: string]: string | undefined }, namespace = 'vendor'): Bom {
  return withComponents(
    withProperties(VENDORED, [
      ...properties(`${namespace}:`, stated({ ...VARIANT_B, ...change })),
      { name: 'colophon:evidence-technique', value: 'ast-similarity' },
    ]),
  );
}

function withProperties(component: Component, list: Component['properties']): Component {
  return { ...component, ...(list && { properties: list }) };
}

function stated(values: { readonly [name: string]: string | undefined }): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function extension(change: object): Bom {
  return withComponents({ ...LIBRARY, 'x-ai-generated': { ...VARIANT_A, ...change } });
}

const graph = (...edges: Array<[string, string[]]>): Bom => ({
  ...withComponents(...['a', 'b', 'c'].map((ref) => ({ type: 'library', name: ref, 'bom-ref': ref }))),
  dependencies: edges.map(([ref, dependsOn]) => ({ ref, dependsOn })),
});

const AT = '/components/0';
const OLD: Bom = { ...without(WHOLE, 'metadata', 'components', 'dependencies'), specVersion: '1.4' };
const SPEC: ValidationOptions = { profile: 'spec' };

test('there is nothing to say about a document that has everything', () => {
  expect(said(WHOLE)).toEqual([]);
  expect(said(WHOLE, SPEC)).toEqual([]);
});

/** For each check: a document that its schema allows and that is wrong, and one that looks like it and is right. */
const VECTORS: ReadonlyArray<[issue: string, bad: Bom, nearMiss: Bom, options?: ValidationOptions]> = [
  ['warning sbom.serial_number_missing ', without(WHOLE, 'serialNumber'), WHOLE],
  ['warning sbom.version_missing ', without(WHOLE, 'version'), WHOLE],
  ['warning sbom.version_invalid /version', { ...OLD, version: 0 }, { ...OLD, version: 1 }],
  ['warning sbom.timestamp_missing /metadata', metadata({ timestamp: undefined }), WHOLE],
  [
    'warning sbom.timestamp_not_utc /metadata/timestamp',
    metadata({ timestamp: '2026-01-31T12:00:00+02:00' }),
    metadata({ timestamp: '2026-01-31T12:00:00.123456+00:00' }),
  ],
  [
    'warning sbom.lifecycles_missing /metadata',
    metadata({ lifecycles: [] }),
    metadata({ lifecycles: [{ name: 'our own phase' }] }),
  ],
  [
    'warning sbom.tools_missing /metadata',
    metadata({ tools: { components: [] } }),
    metadata({ tools: { services: [{ name: 'a generator elsewhere' }] } }),
  ],
  ['note sbom.tools_legacy /metadata/tools', metadata({ tools: [{ name: 'a', version: '1' }] }), WHOLE],
  [
    'warning sbom.tool_unidentified /metadata/tools/components/0',
    metadata({ tools: { components: [{ type: 'application', name: 'colophon' }] } }),
    WHOLE,
  ],
  ['warning sbom.component_missing /metadata', metadata({ component: undefined }), WHOLE],
  [
    'warning sbom.component_version_missing /metadata/component',
    metadata({ component: without(WHOLE.metadata!.component!, 'version') }),
    WHOLE,
  ],
  [
    'warning sbom.supplier_missing /metadata/component/supplier',
    metadata({ component: { ...WHOLE.metadata!.component, supplier: { name: 'Example' } } }),
    WHOLE,
  ],
  [
    'warning sbom.dependencies_missing ',
    { ...WHOLE, dependencies: [] },
    { ...WHOLE, components: [], dependencies: [] },
  ],
  [
    'warning sbom.bom_ref_duplicate /components/1/components/0/bom-ref',
    withComponents(LIBRARY, { type: 'library', name: 'outer', 'bom-ref': 'outer', components: [LIBRARY] }),
    withComponents(LIBRARY, {
      type: 'library',
      name: 'outer',
      'bom-ref': 'outer',
      components: [{ ...LIBRARY, 'bom-ref': `${LIBRARY['bom-ref']}#2` }],
    }),
  ],
  [
    'warning sbom.bom_ref_duplicate /services/0/bom-ref',
    { ...WHOLE, services: [{ name: 'payments', 'bom-ref': 'webshop' }] },
    { ...WHOLE, services: [{ name: 'payments', 'bom-ref': 'Webshop' }] },
  ],
  ['warning sbom.ref_unknown /dependencies/0/dependsOn/0', graph(['a', ['d']]), graph(['a', ['c']])],
  ['warning sbom.ref_unknown /dependencies/0/ref', graph(['d', []]), graph(['webshop', []])],
  [
    'warning sbom.ref_unknown /vulnerabilities/0/affects/0/ref',
    { ...WHOLE, vulnerabilities: [{ id: 'CVE-2026-1', affects: [{ ref: 'nothing' }] }] },
    {
      ...WHOLE,
      vulnerabilities: [
        { id: 'CVE-2026-1', affects: [{ ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#elsewhere' }] },
      ],
    },
  ],
  [
    'warning sbom.ref_unknown /compositions/0/assemblies/0',
    { ...WHOLE, compositions: [{ aggregate: 'complete', assemblies: ['nothing'] }] },
    { ...WHOLE, compositions: [{ aggregate: 'complete', assemblies: ['webshop'] }] },
  ],
  [
    'warning sbom.dependency_repeated /dependencies/1/ref',
    graph(['a', ['b']], ['a', ['c']]),
    graph(['a', ['b']], ['b', ['c']]),
  ],
  [
    'note sbom.dependency_cycle /dependencies/0',
    graph(['a', ['b']], ['b', ['c']], ['c', ['a']]),
    graph(['a', ['b', 'c']], ['b', ['c']], ['c', []]),
  ],
  ['note sbom.dependency_cycle /dependencies/0', graph(['a', ['a']]), graph(['a', ['b']])],
  [
    'warning sbom.purl_invalid /components/0/purl',
    withComponents({ ...LIBRARY, purl: 'npm/left-pad@1.3.0' }),
    withComponents({ ...LIBRARY, purl: 'pkg:golang/example.com/left-pad@v1' }),
  ],
  [`error sbom.ai_field_missing ${AT}`, variantA({ reviewed_by: undefined }), variantA({})],
  [
    `error sbom.ai_field_missing ${AT}`,
    variantA({ model_version: undefined }),
    variantA({ model_version: undefined }, 'declared'),
  ],
  [
    `error sbom.ai_field_missing ${AT}`,
    variantA({ prompt: undefined }, 'verified'),
    variantA({ model_version: undefined }, 'verified'),
  ],
  [`warning sbom.ai_prompt_open ${AT}/properties/3/value`, variantA({ prompt: 'write left-pad' }), variantA({})],
  [`error sbom.ai_field_invalid ${AT}/properties/3/value`, variantA({ prompt: ' ' }), variantA({})],
  [
    `error sbom.ai_field_invalid ${AT}/properties/0/value`,
    withComponents({ ...LIBRARY, properties: [{ name: 'colophon:ai:value', value: '{}' }] }),
    withComponents({ ...LIBRARY, properties: [{ name: 'acme:value', value: '{}' }] }),
  ],
  [
    `error sbom.ai_field_invalid ${AT}/properties/3/value`,
    variantA({ prompt: `sha256:${'AB'.repeat(32)}` }),
    variantA({}),
  ],
  [
    `error sbom.ai_field_invalid ${AT}/properties/4/value`,
    variantA({ generated_at: '2026-01-30' }),
    variantA({ generated_at: '2026-01-30T12:00:00.5+01:00' }),
  ],
  [`error sbom.ai_field_invalid ${AT}/properties/0/value`, variantA({ agent: ' ' }), variantA({ agent: 'a' })],
  [`error sbom.ai_field_invalid ${AT}/properties/7/value`, variantA({}, 'believed'), variantA({}, 'declared')],
  [
    `error sbom.ai_review_early ${AT}/properties/6/value`,
    variantA({ reviewed_at: '2026-01-30T12:30:00+01:00' }),
    variantA({ reviewed_at: '2026-01-30T13:00:00+01:00' }),
  ],
  [
    `error sbom.ai_field_repeated ${AT}/properties/7/value`,
    withComponents({
      ...LIBRARY,
      properties: [...properties('colophon:ai:', VARIANT_A), { name: 'colophon:ai:agent', value: 'other' }],
    }),
    withComponents({
      ...LIBRARY,
      properties: [...properties('colophon:ai:', VARIANT_A), { name: 'other:agent', value: 'other' }],
    }),
  ],
  [
    `warning sbom.ai_not_reviewed ${AT}`,
    variantA({ reviewed_by: undefined, reviewed_at: undefined }, 'verified'),
    variantA({}, 'verified'),
  ],
  ...Object.keys(VARIANT_B).map((name): [string, Bom, Bom] => [
    `error sbom.ai_field_missing ${AT}`,
    variantB({ [name]: undefined }),
    variantB({}),
  ]),
  [`error sbom.ai_field_invalid ${AT}/properties/0/value`, variantB({ 'authored-by': 'agent' }), variantB({})],
  [
    `error sbom.ai_field_invalid ${AT}/properties/3/value`,
    variantB({ 'source-package': 'left-pad' }),
    variantB({ 'source-package': '@scope/left-pad@1.0.0' }),
  ],
  [
    `error sbom.ai_field_invalid ${AT}/properties/4/value`,
    variantB({ 'source-similarity': '91%' }),
    variantB({ 'source-similarity': '1.0' }),
  ],
  [
    `error sbom.ai_field_invalid ${AT}/properties/4/value`,
    variantB({ 'source-similarity': '1.01' }),
    variantB({ 'source-similarity': '0' }),
  ],
  [`error sbom.ai_field_invalid ${AT}/properties/5/value`, variantB({ 'vendoring-method': 'copy' }), variantB({})],
  [`warning sbom.vendored_source_missing ${AT}`, markedInB({}), markedInB(VARIANT_B)],
  [`error sbom.ai_field_missing ${AT}`, markedInB({ 'source-package': 'left-pad@1.3.0' }), markedInB(VARIANT_B)],
  // Another namespace is understood when it speaks the contract's words.
  [`error sbom.ai_field_missing ${AT}`, variantB({ 'agent-id': undefined }, 'acme'), variantB({}, 'acme')],
  [
    `error sbom.ai_field_missing ${AT}`,
    withComponents({ ...LIBRARY, properties: [{ name: 'acme:agent-id', value: 'a' }] }),
    withComponents({ ...LIBRARY, properties: [{ name: 'other:agent-id', value: 'a' }] }),
    { namespace: 'acme' },
  ],
  [
    `warning sbom.vendored_source_missing ${AT}`,
    variantB({
      'authored-by': undefined,
      'agent-id': undefined,
      'agent-model': undefined,
      'vendoring-method': undefined,
    }),
    variantB({ 'authored-by': undefined, 'agent-id': undefined, 'agent-model': undefined }),
  ],
  [
    `warning sbom.vendored_ref ${AT}/bom-ref`,
    withComponents({ ...VENDORED, 'bom-ref': 'vendored:../left-pad' }),
    withComponents({ ...VENDORED, 'bom-ref': 'vendored:src/..left-pad' }),
  ],
  [
    `warning sbom.vendored_name ${AT}/name`,
    withComponents({ ...VENDORED, name: 'right-pad-vendored' }),
    withComponents({ ...VENDORED, name: 'padding' }),
  ],
  [
    `warning sbom.vendored_name ${AT}/name`,
    variantB({ 'source-package': 'pkg:npm/right-pad@1.3.0' }),
    variantB({ 'source-package': 'PKG:npm/left-pad@1.3.0?vcs_url=git@github.com:a/b' }),
  ],
  [
    `warning sbom.vendored_version ${AT}/version`,
    withComponents({ ...VENDORED, version: '1.3.0' }),
    withComponents(VENDORED),
  ],
  [`warning sbom.vendored_scope ${AT}`, withComponents(without(VENDORED, 'scope')), withComponents(VENDORED)],
  [
    `warning sbom.vendored_licence ${AT}/licenses/0`,
    withComponents({ ...VENDORED, licenses: [{ license: { id: 'MIT', acknowledgement: 'concluded' } }] }),
    withComponents({ ...VENDORED, licenses: [{ expression: 'MIT', acknowledgement: 'declared' }] }),
  ],
  [`warning sbom.vendored_licence ${AT}`, withComponents(without(VENDORED, 'licenses')), withComponents(VENDORED)],
  [
    `warning sbom.vendored_evidence ${AT}/evidence`,
    withComponents(withProperties(VENDORED, VENDORED.properties!.slice(0, -1))),
    withComponents(VENDORED),
  ],
  // The contract's own shapes.
  [`error sbom.ai_field_missing ${AT}/x-ai-generated`, extension({ agent: undefined }), extension({}), SPEC],
  [`error sbom.ai_field_invalid ${AT}/x-ai-generated/model`, extension({ model: 1 }), extension({}), SPEC],
  [
    `error sbom.ai_field_invalid ${AT}/x-ai-generated`,
    withComponents({ ...LIBRARY, 'x-ai-generated': true }),
    extension({}),
    SPEC,
  ],
  [`warning sbom.ai_field_unknown ${AT}/x-ai-generated/cost`, extension({ cost: '1' }), extension({}), SPEC],
  [
    `error sbom.ai_review_early ${AT}/x-ai-generated/reviewed_at`,
    extension({ reviewed_at: '2026-01-30T11:59:59.999Z' }),
    extension({ reviewed_at: '2026-01-30T12:00:00Z' }),
    SPEC,
  ],
];

describe.each(VECTORS)('%s', (issue, bad, nearMiss, options) => {
  const wanted = JSON.parse(JSON.stringify(bad)) as Bom;
  const right = JSON.parse(JSON.stringify(nearMiss)) as Bom;

  test('is said of the bad document, which the schema allows', () => {
    expect(said(wanted, options)).toContain(issue);
    expect(said(wanted, options).filter((one) => one.includes('.schema_'))).toEqual([]);
  });

  test('is not said of the one that looks like it', () => {
    const code = issue.split(' ')[1] as string;
    expect(said(right, options).filter((one) => one.includes(code) || one.includes('.schema_'))).toEqual([]);
  });
});

test('every check has its vectors', () => {
  const covered = new Set(VECTORS.map(([issue]) => issue.split(' ')[1]));
  expect(BOM_CHECK_CODES.filter((code) => !covered.has(code))).toEqual([]);
});

test('the contract’s shapes are refused by the strict profile, with the way out', () => {
  const { issues } = validator.validateBom(extension({}));
  expect(issues).toContainEqual(
    expect.objectContaining({
      code: 'sbom.schema_unknown_member',
      path: `${AT}/x-ai-generated`,
      expected: expect.stringContaining('--profile spec'),
    }),
  );
  const similar = withComponents({
    ...VENDORED,
    evidence: { identity: [{ field: 'name', methods: [{ technique: 'ast-similarity', confidence: 0.9 }] }] },
  });
  expect(said(similar)).toContain(`error sbom.schema_value ${AT}/evidence/identity/0/methods/0/technique`);
  expect(said(similar, SPEC)).toEqual([]);
});

test.each(['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'] as const)(
  'the profile spec takes x-ai-generated in %s',
  (specVersion) => {
    const document = { ...OLD, specVersion, components: [{ ...without(LIBRARY), 'x-ai-generated': VARIANT_A }] };
    expect(validator.validateBom(document, SPEC).valid).toBe(true);
  },
);

test('an unknown member is an error where the schema is closed, and a warning in 1.2 and 1.3', () => {
  const document = { ...OLD, components: [{ ...LIBRARY, other: 1 }] };
  expect(said(document)).toContain(`error sbom.schema_unknown_member ${AT}/other`);
  expect(said({ ...document, specVersion: '1.3' })).toContain(`warning sbom.schema_unknown_member ${AT}/other`);
});

test('what the fields of a mark rest on is no namespace of vendored code', () => {
  const basis = Object.keys(VARIANT_A).map((field) => ({ name: `colophon:ai:basis:${field}`, value: 'declared' }));
  const marked = withComponents({ ...LIBRARY, properties: [...properties('colophon:ai:', VARIANT_A), ...basis] });
  expect(said(marked).filter((one) => one.includes('vendored_source'))).toEqual([]);
});
