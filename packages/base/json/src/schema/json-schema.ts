/** The part of JSON Schema (draft-07 and 2020-12) that the schemas of CycloneDX and our own use. */
export type JsonSchema = {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: SchemaOrBoolean | readonly SchemaOrBoolean[];
  readonly additionalItems?: SchemaOrBoolean;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: SchemaOrBoolean };
  readonly additionalProperties?: SchemaOrBoolean;
  readonly oneOf?: readonly SchemaOrBoolean[];
  readonly anyOf?: readonly SchemaOrBoolean[];
  readonly allOf?: readonly SchemaOrBoolean[];
  readonly not?: SchemaOrBoolean;
  readonly if?: SchemaOrBoolean;
  readonly then?: SchemaOrBoolean;
  readonly else?: SchemaOrBoolean;
  readonly definitions?: { readonly [name: string]: JsonSchema };
};

/** `true` accepts everything, `false` nothing. */
export type SchemaOrBoolean = JsonSchema | boolean;
