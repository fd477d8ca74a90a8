import { splitEpoch } from '@colophon/notation';
import type { FindingComponent } from '@colophon/records';
import { identifyComponent, sourcePackageOf } from './component-identity.ts';

/** In what versions something is there; '' stands for one that nobody says. */
type Versions = Set<string>;

/** Components by what they are: package URL, else name. Says of another one whether it is among them. */
export class ComponentLookup {
  readonly #byPackage = new Map<string, Versions>();
  /** Of those without a package URL; a finding that has one may speak of them. */
  readonly #byNameAlone = new Map<string, Versions>();
  readonly #byName = new Map<string, Versions>();

  constructor(components: Iterable<FindingComponent>) {
    for (const component of components) {
      const { package: ofPurl, names, version = '' } = identifyComponent(component);
      if (ofPurl !== undefined) add(this.#byPackage, ofPurl, version);
      for (const name of names) {
        add(this.#byName, name, version);
        if (ofPurl === undefined) add(this.#byNameAlone, name, version);
      }
      // Advisories of a distribution, and scanners with them, name the package that several were built from.
      const source = sourcePackageOf(component);
      if (source === undefined) continue;
      add(this.#byName, source, '');
      add(this.#byNameAlone, source, '');
    }
  }

  /** The look-up of this very list, which is made once however often it is asked for. */
  static of(components: readonly FindingComponent[]): ComponentLookup {
    const known = LOOKUPS.get(components) ?? new ComponentLookup(components);
    LOOKUPS.set(components, known);
    return known;
  }

  /** Whether it is there in this version, or in one of which either of them does not say it, or not its epoch. */
  has(component: FindingComponent): boolean {
    const { version } = identifyComponent(component);
    return this.#versionsOf(component).some(
      (versions) => version === undefined || versions.has('') || spellings(version).some((one) => versions.has(one)),
    );
  }

  /** Whether it is there in just this version. */
  hasVersion(component: FindingComponent): boolean {
    const { version } = identifyComponent(component);
    return version !== undefined && this.#versionsOf(component).some((versions) => versions.has(version));
  }

  #versionsOf(component: FindingComponent): readonly Versions[] {
    const { package: ofPurl, names } = identifyComponent(component);
    const named = ofPurl === undefined ? this.#byName : this.#byNameAlone;
    const byPackage = ofPurl === undefined ? undefined : this.#byPackage.get(ofPurl);
    return [byPackage, ...names.map((name) => named.get(name))].filter((versions) => versions !== undefined);
  }
}

const LOOKUPS = new WeakMap<readonly FindingComponent[], ComponentLookup>();

/** The epoch of a version without one. */
const ANY_EPOCH = '*:';

/** A version as it may be kept: just so, with any epoch where it has none, without one where it has. */
function spellings(version: string): readonly string[] {
  return [version, splitEpoch(version)?.rest ?? `${ANY_EPOCH}${version}`];
}

function add(map: Map<string, Versions>, key: string, version: string): void {
  const known = map.get(key) ?? new Set();
  map.set(key, known.add(version));
  const stated = splitEpoch(version);
  if (stated !== undefined) known.add(`${ANY_EPOCH}${stated.rest}`);
}
