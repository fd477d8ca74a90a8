import { parse } from 'yaml';
import type { KubernetesServer } from './kubernetes-server.ts';

/**
 * What an API server says against the documents of a manifest, of which it keeps none: a refusal in its words, a warning
 * (those of Pod Security too). Documents that name no namespace go into the one that is given.
 */
export async function manifestProblems(kubernetes: KubernetesServer, text: string, namespace: string) {
  const problems: string[] = [];
  for (const document of text.split(/^---$/m)) {
    const path = await collectionOf(kubernetes, parse(document), namespace);
    const query = '?dryRun=All&fieldValidation=Strict';
    // As it stands: the server's own reader of YAML judges it.
    const options = { contentType: 'application/yaml' };
    const { status, body, warnings } = await kubernetes.request('POST', `${path}${query}`, document, options);
    if (status !== 201) problems.push(`${status}: ${body.message}`);
    problems.push(...warnings);
  }
  return problems;
}

/** One document of a manifest. */
export type ManifestDocument = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly [member: string]: unknown;
};

/** Where objects of a document's kind are created; the server knows. */
export async function collectionOf(
  kubernetes: KubernetesServer,
  { apiVersion, kind, metadata }: ManifestDocument,
  namespace: string,
): Promise<string> {
  const version = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  const { body } = await kubernetes.request('GET', version);
  const resources: ReadonlyArray<{ kind: string; name: string; namespaced: boolean }> = body.resources ?? [];
  const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'));
  if (resource === undefined) throw new Error(`the API server knows no ${kind} of ${apiVersion}`);
  const scope = resource.namespaced ? `/namespaces/${metadata.namespace ?? namespace}` : '';
  return `${version}${scope}/${resource.name}`;
}
