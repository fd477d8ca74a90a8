import type { LockedName } from './locked-project.ts';
import { packagePurl } from './purl.ts';

/** Name, version and purl of a Python package; the qualifiers say where it is from, if from no index. */
export function pypiName(
  name: string,
  version: string | undefined,
  qualifiers?: Readonly<Record<string, string>>,
): LockedName & { readonly name: string } {
  const purl = packagePurl('pypi', undefined, name, version, qualifiers);
  return { name, ...(version && { version }), ...(purl && { purl }) };
}

/** The name by which Python compares packages. @see PEP 503 */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** True for what may be the name of a Python package. @see PEP 508 */
export function isPythonName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text);
}
