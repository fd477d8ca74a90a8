import type { Bom, SpecVersion } from '../document/bom.ts';
import type { Loss } from '../profile/loss.ts';
import type { SchemaCheck } from '../schema/schema-check.ts';
import { fitToSchema } from './fit-schema.ts';
import { separateLicences } from './licence-lists.ts';
import { withModernMembers } from './modern-members.ts';

/** A document of another version of CycloneDX, what it no longer says, and what it says elsewhere now. */
export type VersionChange = { readonly bom: Bom; readonly losses: readonly Loss[]; readonly notes: readonly string[] };

/** Versions that carry attribution in every shape; what is older is upgraded first. */
export const ATTRIBUTED_VERSIONS = ['1.6', '1.7'] as const;
export type AttributedVersion = (typeof ATTRIBUTED_VERSIONS)[number];

/**
 * Writes a document in another version of CycloneDX: up with every member where that version wants it, down without what
 * that version does not know. The result is valid by `schema`.
 * @param bom in the standard profile
 * @param schema the official one of `to`
 */
export function changeVersion(bom: Bom, to: AttributedVersion, schema: SchemaCheck): VersionChange {
  const losses: Loss[] = [];
  const notes = [`CycloneDX ${bom.specVersion} became ${to}`];
  let next: Bom = { ...bom, specVersion: to, ...(isOfficial(bom.$schema) && { $schema: schemaAddress(to) }) };
  if (bom.specVersion < to) next = withModernMembers(next, notes);
  if (to < '1.7') next = separateLicences(next, losses);
  const fitted = fitToSchema(next, schema, `CycloneDX ${to}`);
  if (fitted === undefined) {
    losses.push({ path: '', what: 'the document', why: `nothing of it would be left that CycloneDX ${to} allows` });
    return { bom: next, losses, notes };
  }
  return { bom: fitted.document, losses: [...losses, ...fitted.losses], notes };
}

function schemaAddress(version: SpecVersion): string {
  return `http://cyclonedx.org/schema/bom-${version}.schema.json`;
}

function isOfficial(address: unknown): boolean {
  return typeof address === 'string' && /^https?:\/\/cyclonedx\.org\/schema\/bom-/.test(address);
}
