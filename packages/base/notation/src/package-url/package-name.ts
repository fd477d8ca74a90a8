import type { PackageUrl } from './package-url.ts';

/** Distributions that scanners call by the id of `os-release` or by their own name. */
const NAMESPACES: Readonly<Record<string, string>> = {
  rhel: 'redhat',
  ol: 'oracle',
  amzn: 'amazon',
  alma: 'almalinux',
  'rocky-linux': 'rocky',
  sles: 'suse',
};

/** The one name of a distribution that several are in use for; other names are left as they are. */
export function distributionName(name: string): string {
  return Object.hasOwn(NAMESPACES, name) ? (NAMESPACES[name] as string) : name;
}

/**
 * The one spelling of a package's namespace and name, for all who compare packages: in lower case, a distribution by its
 * one name, PyPI's signs as a hyphen (PEP 503).
 */
export function packageName({ type, namespace, name }: Pick<PackageUrl, 'type' | 'namespace' | 'name'>): {
  readonly namespace: readonly string[];
  readonly name: string;
} {
  const [first, ...others] = namespace.map((segment) => segment.toLowerCase());
  const plain = name.toLowerCase();
  return {
    namespace: first === undefined ? [] : [distributionName(first), ...others],
    name: type === 'pypi' ? plain.replace(/[-_.]+/g, '-') : plain,
  };
}
