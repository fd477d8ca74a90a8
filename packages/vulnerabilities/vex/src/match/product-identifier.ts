import { PackageURL } from 'packageurl-js';

/** What an SBOM says of the artifact that it documents. */
type DocumentedArtifact = { readonly name?: string; readonly version?: string; readonly purl?: string };

/**
 * The package URL of what an SBOM documents: its own, or `pkg:generic/<name>@<version>` with the name in lower case, as
 * grype calls a scanned SBOM that gives itself none. Undefined where it has no name either.
 */
export function productIdentifier({ name, version, purl }: DocumentedArtifact): string | undefined {
  if (purl !== undefined) return purl;
  if (name === undefined || name.trim() === '') return undefined;
  try {
    return new PackageURL('generic', undefined, name.toLowerCase(), version, undefined, undefined).toString();
  } catch {
    // A name that no package URL can hold names no product in one.
    return undefined;
  }
}
