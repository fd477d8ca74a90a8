/** What a predicate of SLSA provenance may name as a source, of which nothing is checked. */
type Source = { readonly digest?: { readonly gitCommit?: unknown; readonly sha1?: unknown } } | null | undefined;
type PredicateWithSources = {
  readonly buildDefinition?: { readonly resolvedDependencies?: unknown } | null;
  readonly materials?: unknown;
};

/**
 * Every commit that SLSA provenance, v1 or v0.2, names among what the build fetched, in lower case: for whoever looks for
 * what was said of any of them, and so takes rather too many. None of any other predicate. Never throws.
 */
export function statedSources(predicate: unknown): readonly string[] {
  const { buildDefinition, materials } = (predicate ?? {}) as PredicateWithSources;
  const sources = [...list(buildDefinition?.resolvedDependencies), ...list(materials)];
  return sources
    .flatMap((source) => [source?.digest?.gitCommit, source?.digest?.sha1])
    .filter((id) => typeof id === 'string')
    .map((id) => id.toLowerCase());
}

function list(value: unknown): readonly Source[] {
  return Array.isArray(value) ? value : [];
}
