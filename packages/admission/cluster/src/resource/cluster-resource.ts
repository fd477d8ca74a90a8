/** One kind of object in the API, and the namespace that is meant; all namespaces, or none, where it is absent. */
export type ClusterResource = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** As in a path: `pods`. */
  readonly plural: string;
  readonly namespace?: string;
};

/**
 * The path of a resource in the API, or of one object of it.
 * @throws TypeError for a name that would be another path
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
 */
export function resourcePath({ group, version, plural, namespace }: ClusterResource, name?: string): string {
  const parts = [
    ...(group === '' ? ['api'] : ['apis', group]),
    version,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
  ];
  return `/${parts.map(pathSegment).join('/')}`;
}

/** For a person: `secrets/colophon-admission-tls`. */
export function resourceName({ plural }: ClusterResource, name?: string): string {
  return name === undefined ? plural : `${plural}/${name}`;
}

function pathSegment(text: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new TypeError('no name of an object, a namespace or a resource');
  }
  return encodeURIComponent(text);
}
