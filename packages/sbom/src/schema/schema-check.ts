import { Ajv } from 'ajv';
import { type Explanation, explainFaults } from './explain.ts';
import { addSafeFormats } from './formats.ts';
import type { JsonSchema } from './json-schema.ts';
import { schemaPattern } from './pattern.ts';
import { equalItems } from './unique-items.ts';

/** One schema, ready to decide. */
export type SchemaCheck = {
  /** Whether a document is valid; stops at the first fault. */
  isValid(document: unknown): boolean;
  /** What is wrong with a document that is not, up to `most` faults. */
  explain(document: unknown, most: number): Explanation;
};

/**
 * Compiles a schema. Ajv decides, with a `uniqueItems` that is linear: its own compares every two items, which takes a
 * minute on 5,000 components. What is wrong is found by walking the schema again, since Ajv can only list everything
 * at once: a million bad components would be a million errors, copied from list to list.
 * @param referred the schemas that it refers to, by their addresses
 */
export function compileSchema(schema: JsonSchema, referred: ReadonlyMap<string, JsonSchema>): SchemaCheck {
  const ajv = new Ajv({
    strict: false,
    addUsedSchema: false,
    validateSchema: false,
    code: { regExp: schemaPattern },
  });
  addSafeFormats(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (isAsked: boolean, items: readonly unknown[]) => !isAsked || equalItems(items) === undefined,
  });
  for (const [address, other] of referred) ajv.addSchema(other, address);
  const decide = ajv.compile(schema);
  return {
    isValid: (document) => decide(document) as boolean,
    explain: (document, most) =>
      explainFaults(document, most, { schema, referred, isOfFormat: (name, text) => isOfFormat(ajv, name, text) }),
  };
}

function isOfFormat(ajv: Ajv, name: string, text: string): boolean {
  const format = ajv.formats[name];
  return typeof format === 'function' ? (format as (text: string) => boolean)(text) : true;
}
