import { type PackageUrl, packageName, parsePackageUrl, splitEpoch } from '@colophon/notation';
import type { FindingComponent } from '@colophon/records';

/** What a component is, in whatever document: equal texts are the same thing. */
export type ComponentIdentity = {
  /** Type, namespace, name and registry of the package URL; undefined without one that can be read. */
  readonly package?: string;
  /** Undefined where nobody says it. */
  readonly version?: string;
  /** The names that people call it by: without and with its namespace. */
  readonly names: readonly string[];
};

/** True for what has the form of a package URL. */
export function isPurl(text: string): boolean {
  return parsePackageUrl(text.trim()) !== undefined;
}

/**
 * What a component is. Of a package URL's qualifiers only `repository_url` and `epoch` say which package in which
 * version it is; architecture, distribution, file, checksum and subpath say where a build of it was found.
 */
export function identifyComponent(component: FindingComponent): ComponentIdentity {
  const known = IDENTITIES.get(component) ?? identify(component);
  IDENTITIES.set(component, known);
  return known;
}

/** A component never changes, and a report asks thousands of times what each of thousands is. */
const IDENTITIES = new WeakMap<FindingComponent, ComponentIdentity>();

function identify(component: FindingComponent): ComponentIdentity {
  const { name, version } = component;
  const purl = purlOf(component);
  if (purl === undefined) {
    const plain = name.trim().toLowerCase().replaceAll(':', '/');
    return { names: [plain], ...versioned('', version) };
  }
  const kind = purl.type;
  const { namespace, name: last } = packageName(purl);
  const full = [...namespace, last].join('/');
  const repository = qualifierOf(purl, 'repository_url');
  const stated = purl.version ?? version;
  return {
    package: `${kind}/${full}${repository === undefined ? '' : `?${repository}`}`,
    names: full === last ? [last] : [last, full],
    ...versioned(kind, stated, qualifierOf(purl, 'epoch') ?? epochBeside(stated, version)),
  };
}

/** The qualifiers that say which package in which version it is. */
export function identifyingQualifiers(component: Pick<FindingComponent, 'purl'>): readonly string[] {
  return hasEpoch(purlType(component) ?? '') ? ['repository_url', 'epoch'] : ['repository_url'];
}

/**
 * True where both are the same package, in whatever version: by package URL, or by name where one of them has none.
 */
export function sameComponent(a: FindingComponent, b: FindingComponent): boolean {
  const [one, other] = [identifyComponent(a), identifyComponent(b)];
  if (one.package !== undefined && other.package !== undefined) return one.package === other.package;
  return one.names.some((name) => other.names.includes(name));
}

/** A version as the other scanner might write it: Go's `v`, an epoch inside it or beside it. */
export function normaliseVersion(kind: string, version: string, epoch?: string): string {
  const plain = version.trim();
  if (kind === 'golang') return plain.replace(/^(?:go|v)(?=\d)/, '');
  if (!hasEpoch(kind)) return plain;
  const stated = splitEpoch(plain);
  const inside = stated?.rest === '' ? undefined : stated;
  const known = inside?.epoch ?? epoch ?? '0';
  const rest = inside?.rest ?? plain;
  return /^0*$/.test(known) ? rest : `${known}:${rest}`;
}

function hasEpoch(kind: string): boolean {
  return kind === 'deb' || kind === 'rpm';
}

/**
 * The name of the package that a distribution built this one from, as generators write it into the package URL:
 * `openssl`, `openssl@3.0.11` or `openssl-3.0.7-2.el9.src.rpm`.
 */
export function sourcePackageOf(component: FindingComponent): string | undefined {
  if (component.purl?.includes('upstream=') !== true) return undefined;
  const upstream = purlQualifier(component, 'upstream');
  const [, fromFile] = /^(.+)-[^-]+-[^-]+\.src\.rpm$/.exec(upstream ?? '') ?? [];
  return (fromFile ?? upstream?.split('@')[0])?.toLowerCase() || undefined;
}

/** The version that a component states, beside its package URL or in it alone; undefined where nobody says it. */
export function statedVersion(component: FindingComponent): string | undefined {
  return component.version ?? identifyComponent(component).version;
}

/** One qualifier of a component's package URL, decoded; undefined where it has none. */
export function purlQualifier(component: FindingComponent, name: string): string | undefined {
  const purl = purlOf(component);
  return purl && qualifierOf(purl, name);
}

/** The type of a component's package URL, in lower case; undefined without one that can be read. */
export function purlType(component: Pick<FindingComponent, 'purl'>): string | undefined {
  return purlOf(component)?.type;
}

function purlOf({ purl }: Pick<FindingComponent, 'purl'>): PackageUrl | undefined {
  return purl === undefined ? undefined : parsePackageUrl(purl.trim());
}

function versioned(kind: string, version: string | undefined, epoch?: string): { version?: string } {
  const plain = version === undefined ? '' : normaliseVersion(kind, version, epoch);
  return plain === '' ? {} : { version: plain };
}

/** The epoch of a version beside a package URL that has the same one without it. */
function epochBeside(inPurl: string | undefined, version: string | undefined): string | undefined {
  const stated = splitEpoch(version?.trim() ?? '');
  return stated !== undefined && stated.rest === inPurl?.trim() ? stated.epoch : undefined;
}

function qualifierOf({ qualifiers }: PackageUrl, wanted: string): string | undefined {
  return qualifiers.find(([key]) => key === wanted)?.[1] || undefined;
}
