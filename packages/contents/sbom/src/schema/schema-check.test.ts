import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import { WHOLE } from '../../test/whole-bom.ts';
import { SPEC_VERSIONS } from '../document/bom.ts';
import { addSafeFormats } from './formats.ts';
import { officialSchema, referredSchemas } from './official-schema.ts';
import { compileSchema } from './schema-check.ts';

/** What every version allows; one of its references is odd. */
const PLAIN = {
  bomFormat: 'CycloneDX',
  version: 1,
  components: [
    {
      type: 'library',
      name: 'a',
      version: '1.0.0',
      hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
      licenses: [{ license: { id: 'MIT' } }],
      externalReferences: [{ type: 'website', url: 'https://example.com/a b' }],
    },
  ],
};

/** The document with every one of its values replaced in turn, and with every one left out. */
function* variantsOf(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const isList = Array.isArray(value);
    const withMember = (other: unknown) => (isList ? value.with(Number(name), other) : { ...value, [name]: other });
    const replacements = [7, 'no such word', {}, [], null];
    yield* replacements.map(withMember);
    yield isList ? value.toSpliced(Number(name), 1) : withMember(undefined);
    for (const variant of variantsOf(member)) yield withMember(variant);
  }
}

test.each(SPEC_VERSIONS)('CycloneDX %s is decided as by a schema that Ajv compiled whole', (version) => {
  const referred = referredSchemas(readOfficialSchema);
  const schema = officialSchema(readOfficialSchema, version, 'standard');
  let hasOddReference = false;
  const ajv = new Ajv({ strict: false, validateSchema: false });
  addSafeFormats(ajv, () => {
    hasOddReference = true;
  });
  for (const [address, other] of referred) ajv.addSchema(other, address);
  const validate = ajv.compile(schema);
  const check = compileSchema(schema, referred);

  const verdicts = new Set<boolean>();
  for (const variant of [PLAIN, ...variantsOf(PLAIN), WHOLE, ...variantsOf(WHOLE)]) {
    const document = { ...(variant as object), specVersion: version };
    hasOddReference = false;
    const expected = { isValid: validate(document), hasOddReference };
    const decided = check.decide(document);
    expect({ document, ...decided }).toEqual({ document, ...expected });
    verdicts.add(decided.isValid);
  }
  expect(verdicts).toEqual(new Set([true, false]));
});
