import { identifyComponent } from '@colophon/findings';
import { canonicalJson } from '@colophon/json';
import type { FindingComponent } from '@colophon/records';
import { digestOf } from '@colophon/records';

/** Hex digits of an id: 128 bits, so that nobody finds two of the same. */
const ID_LENGTH = 32;

/** Made from what a record is about, and from nothing else: opening it again gives the same id. */
export function remediationId(product: string, cve: string, component: FindingComponent): string {
  const about = canonicalJson([product, cve, componentKey(component)]);
  return digestOf(about).slice('sha256:'.length).slice(0, ID_LENGTH);
}

/** A component in any version, as text: what its package URL calls it, else its name. */
export function componentKey(component: FindingComponent): string {
  const { package: ofPurl, names } = identifyComponent(component);
  return ofPurl ?? `name:${names[0]}`;
}
