import type { JsonSchema } from '@colophon/json';
import { SPEC_VERSIONS, type SpecVersion } from '../document/bom.ts';
import type { WrittenProfile } from '../profile/loss.ts';

/**
 * Gives a schema file of CycloneDX by its name, as `@cyclonedx/cyclonedx-library` ships them: reading is for the edge,
 * since this package touches no disk.
 */
export type SchemaSource = (file: string) => JsonSchema;

/**
 * `standard` is the official schema; `spec` also takes what contract §2.5 writes and no official schema knows:
 * `x-ai-generated` on components and the technique `ast-similarity`.
 */
export type Profile = WrittenProfile;

/** What the schemas of all versions refer to. */
const REFERRED = ['spdx', 'jsf-0.82', 'cryptography-defs'] as const;

/** Versions with a second schema, which knows no members but those it names; from 1.4 on every one is so. */
const CLOSED_APART: readonly SpecVersion[] = ['1.2', '1.3'];

const versionFile = (version: SpecVersion) => `bom-${version}.SNAPSHOT.schema.json`;
const closedFile = (version: SpecVersion) => `bom-${version}-strict.SNAPSHOT.schema.json`;
const referredFile = (name: string) => `${name}.SNAPSHOT.schema.json`;

/** Every file that a `SchemaSource` is asked for. */
export const OFFICIAL_SCHEMA_FILES: readonly string[] = [
  ...SPEC_VERSIONS.map(versionFile),
  ...CLOSED_APART.map(closedFile),
  ...REFERRED.map(referredFile),
];

const SCHEMA_BASE = 'http://cyclonedx.org/schema/';

/** The schemas that those of the versions refer to, by the address under which they do. */
export function referredSchemas(read: SchemaSource): ReadonlyMap<string, JsonSchema> {
  return new Map(REFERRED.map((name) => [`${SCHEMA_BASE}${referredFile(name)}`, read(referredFile(name))]));
}

/**
 * The official schema of one version. The library loosens two rules of its copies, which are put back here: `version`
 * is required up to 1.4, and `$schema` of 1.4 and 1.5 names the schema itself.
 */
export function officialSchema(read: SchemaSource, version: SpecVersion, profile: Profile): JsonSchema {
  const schema = read(versionFile(version));
  const official = {
    ...schema,
    ...(version <= '1.4' && { required: [...new Set([...(schema.required ?? []), 'version'])] }),
    ...((version === '1.4' || version === '1.5') && {
      properties: {
        ...schema.properties,
        $schema: { type: 'string', enum: [`${SCHEMA_BASE}bom-${version}.schema.json`] },
      },
    }),
  };
  return profile === 'spec' ? withContractForms(official) : official;
}

/** The second schema of a version that has one, see `CLOSED_APART`. */
export function closedSchema(read: SchemaSource, version: SpecVersion, profile: Profile): JsonSchema | undefined {
  if (!CLOSED_APART.includes(version)) return undefined;
  const schema = read(closedFile(version));
  return profile === 'spec' ? withContractForms(schema) : schema;
}

/** The same schema, which also takes the shapes of contract §2.5; whether those are whole is checked on their own. */
function withContractForms(schema: JsonSchema): JsonSchema {
  const { component, ...rest } = schema.definitions ?? {};
  if (component === undefined) return schema;
  const definitions = {
    ...rest,
    component: { ...component, properties: { ...component.properties, 'x-ai-generated': true as const } },
  };
  return withSimilarityTechnique({ ...schema, definitions }) as JsonSchema;
}

/** From 1.5 on the techniques of evidence are a list. */
function withSimilarityTechnique(part: unknown): unknown {
  if (Array.isArray(part)) {
    return part.includes('ast-fingerprint') && part.includes('manifest-analysis')
      ? [...part, 'ast-similarity']
      : part.map(withSimilarityTechnique);
  }
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, withSimilarityTechnique(inner)]));
}
