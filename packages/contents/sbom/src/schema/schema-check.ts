import { equalItems, findFaults, type JsonSchema, schemaPattern } from '@colophon/json';
import { _, Ajv } from 'ajv';
import { addSafeFormats, isOddReference } from './formats.ts';
import { findReferences, type ReferencePlace } from './reference-places.ts';
import { inWords, type WordedFault } from './schema-words.ts';

/** What is wrong with a document; not everything where there may be more than was asked for. */
export type Explanation = { readonly faults: readonly WordedFault[]; readonly isComplete: boolean };

/** One schema, ready to decide. */
export type SchemaCheck = {
  /** Whether a document is valid; stops at the first fault. */
  isValid(document: unknown): boolean;
  /** The same, and whether an odd reference was met, by which nothing is decided. */
  decide(document: unknown): { readonly isValid: boolean; readonly hasOddReference: boolean };
  /** What is wrong with a document that is not, up to `most` faults. */
  explain(document: unknown, most: number): Explanation;
  /** The odd references of a document, up to `most`; see `isOddReference`. */
  oddReferences(document: unknown, most: number): readonly ReferencePlace[];
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
    // Compiling takes longer than most documents: what nobody reads is not written.
    messages: false,
    validateSchema: false,
    code: { regExp: schemaPattern, optimize: false },
  });
  let hasOddReference = false;
  addSafeFormats(ajv, () => {
    hasOddReference = true;
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (isAsked: boolean, items: readonly unknown[]) => !isAsked || equalItems(items) === undefined,
  });
  compileReferencesWhenMet(ajv);
  for (const [address, other] of referred) ajv.addSchema(other, address);
  const validate = compiledAt(ajv.addSchema(schema, DOCUMENT), DOCUMENT);
  const decide: SchemaCheck['decide'] = (document) => {
    hasOddReference = false;
    const isValid = validate(document);
    return { isValid, hasOddReference };
  };
  const grounds = { schema, referred, isOfFormat: (name: string, text: string) => isOfFormat(ajv, name, text) };
  return {
    isValid: (document) => decide(document).isValid,
    decide,
    explain: (document, most) => {
      const { faults, isComplete } = findFaults(document, most, grounds);
      return { faults: faults.map(inWords), isComplete };
    },
    oddReferences: (document, most) => findReferences(document, most, isOddReference, grounds),
  };
}

/** The key of the schema itself, beside the addresses of those that it refers to. */
const DOCUMENT = 'document';

/**
 * What is referred to is compiled once, when a document first has a value for it: most documents have none for most of
 * a schema, and compiling all of it takes longer than everything else about them.
 */
function compileReferencesWhenMet(ajv: Ajv): void {
  ajv.removeKeyword('$ref');
  ajv.addKeyword({
    keyword: '$ref',
    schemaType: 'string',
    code: (context) => {
      const address = ajv.opts.uriResolver.resolve(context.it.baseId, context.schema);
      let validate: Validate | undefined;
      const validateReferred: Validate = (value) => {
        validate ??= compiledAt(ajv, address);
        return validate(value);
      };
      context.pass(_`${context.gen.scopeValue('validate', { ref: validateReferred })}(${context.data})`);
    },
  });
}

type Validate = (value: unknown) => boolean;

function compiledAt(ajv: Ajv, address: string): Validate {
  const validate = ajv.getSchema(address);
  if (validate === undefined) throw new TypeError(`nothing is at ${address}, to which a schema refers`);
  return validate as Validate;
}

function isOfFormat(ajv: Ajv, name: string, text: string): boolean {
  const format = ajv.formats[name];
  return typeof format === 'function' ? (format as (text: string) => boolean)(text) : true;
}
