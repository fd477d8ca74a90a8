import { isJsonObject, type JsonObject, type ParseResult } from '@colophon/json';
import { formatInstant, parseInstant, parsePackageUrl } from '@colophon/notation';
import { digestOf, type FindingComponent, type ScannedSbom } from '@colophon/records';
import { parseBom, walkComponents } from '@colophon/sbom';
import { productIdentifier } from '@colophon/vex';

/** What an SBOM says of itself, and what is in it. */
export type SbomInventory = {
  readonly sbom: ScannedSbom;
  readonly components: readonly FindingComponent[];
  /** What vendored code was made from, as variant B names it: by name and version, mostly without a package URL. */
  readonly vendored: readonly FindingComponent[];
  /** What a VEX statement may call the documented artifact. */
  readonly identifiers: readonly string[];
};

/** Takes stock of an SBOM from its bytes. */
export function readInventory(bytes: Uint8Array): ParseResult<SbomInventory> {
  const parsed = parseBom(bytes);
  if (!parsed.ok) return parsed;
  const bom = parsed.value;
  const { component: artifact, timestamp } = bom.metadata ?? {};
  const instant = timestamp === undefined ? undefined : parseInstant(timestamp);
  const digest = digestOf(bytes);
  return {
    ok: true,
    value: {
      sbom: {
        digest,
        ...(bom.serialNumber !== undefined && { serialNumber: bom.serialNumber }),
        ...(bom.version !== undefined && { version: bom.version }),
        ...(instant !== undefined && { timestamp: formatInstant(instant) }),
        ...(artifact?.name !== undefined && { artifact: artifact.name }),
        ...(artifact?.version !== undefined && { artifactVersion: artifact.version }),
      },
      components: [...walkComponents(bom)].flatMap(({ component }) =>
        [component as JsonObject, ...ancestorsOf(component as JsonObject)].flatMap(named),
      ),
      vendored: [...walkComponents(bom)].flatMap(({ component }) => sourcesOf(component as JsonObject)),
      identifiers: [productIdentifier(artifact ?? {}), artifact?.['bom-ref'], bom.serialNumber, digest].flatMap(
        (one) => one ?? [],
      ),
    },
  };
}

/** Nobody has checked the document against its schema. */
function named({ name, version, purl }: JsonObject): FindingComponent[] {
  const isText = (value: unknown) => typeof value === 'string';
  if (!isText(name)) return [];
  return [{ name, ...(isText(version) && { version }), ...(isText(purl) && { purl }) }];
}

/** Whatever the vendor calls its namespace. */
const SOURCE_PACKAGE = /^[^:]+:source-package$/;

/** The packages that a vendored component's properties name: `<package>@<version>`, or a package URL. */
function sourcesOf({ properties }: JsonObject): FindingComponent[] {
  const listed = Array.isArray(properties) ? properties.filter(isJsonObject) : [];
  return listed.flatMap(({ name, value }): FindingComponent[] => {
    if (typeof name !== 'string' || typeof value !== 'string' || !SOURCE_PACKAGE.test(name)) return [];
    const source = value.trim();
    const purl = parsePackageUrl(source);
    if (purl !== undefined) return [{ name: purl.name, purl: source }];
    const at = source.lastIndexOf('@');
    return at > 0 ? [{ name: source.slice(0, at), version: source.slice(at + 1) }] : [];
  });
}

/** What a component was made from: code that was copied under another name has its vulnerabilities, too. */
function ancestorsOf(component: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const open = [component];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pedigree } = next;
    const ancestors = isJsonObject(pedigree) ? pedigree['ancestors'] : undefined;
    const direct = Array.isArray(ancestors) ? ancestors.filter(isJsonObject) : [];
    found.push(...direct);
    open.push(...direct);
  }
  return found;
}
