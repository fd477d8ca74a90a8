import { productIdentifier } from './product-identifier.ts';

type Linked = {
  readonly name?: string;
  readonly version?: string;
  readonly purl?: string;
  readonly 'bom-ref'?: string;
  readonly components?: readonly Linked[];
};

/** What is read of an SBOM in CycloneDX. */
export type LinkedBom = {
  readonly serialNumber?: string;
  readonly version?: number;
  readonly metadata?: { readonly component?: Linked };
  readonly components?: readonly Linked[];
};

/**
 * The BOM-Links by which a separate VEX document names what is in an SBOM, by the identifier that it has in matching:
 * of a component its package URL, of the documented artifact what `productIdentifier` gives. Nothing for an SBOM without
 * a serial number, to which no link can lead.
 * @see https://cyclonedx.org/capabilities/bomlink/
 */
export function bomLinks(bom: LinkedBom): ReadonlyMap<string, readonly string[]> {
  const links = new Map<string, string[]>();
  const { serialNumber, version = 1, metadata: { component: artifact } = {}, components = [] } = bom;
  if (serialNumber === undefined) return links;
  const document = `${serialNumber.replace(/^urn:uuid:/, 'urn:cdx:')}/${version}`;
  const add = (identifier: string | undefined, names: readonly string[]) => {
    if (identifier !== undefined) links.set(identifier, [...(links.get(identifier) ?? []), ...names]);
  };
  // The standard asks for percent signs in a reference, and people write it as it is.
  const ofRef = (ref: string | undefined) =>
    ref === undefined ? [] : [...new Set([ref, encodeURIComponent(ref)])].map((one) => `${document}#${one}`);
  if (artifact !== undefined) add(productIdentifier(artifact), [document, ...ofRef(artifact['bom-ref'])]);
  const open = [...(artifact?.components ?? []), ...components];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    add(one.purl, ofRef(one['bom-ref']));
    for (const inner of one.components ?? []) open.push(inner);
  }
  return links;
}
