import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { coveredKind, POD } from '../covered-kind/covered-kind.ts';
import { podSpecOf } from '../image-places/image-places.ts';

/** RFC 1123, as the name of every Secret and ServiceAccount is. */
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/**
 * The names of the Secrets with which a Pod, or a Pod made from a template, pulls its images, each once. What no Secret
 * can be called is left out: the names become parts of paths.
 */
export function podSecretsOf(object: unknown): readonly string[] {
  return secretNames(specIn(object)?.spec.imagePullSecrets);
}

/**
 * The name of the ServiceAccount by whose Secrets the Pods of a template pull their images: the API server writes them into
 * a Pod that names none. Undefined where the template names Secrets, of a Pod itself, and where no ServiceAccount is called so.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount
 */
export function templateAccountOf(object: unknown): string | undefined {
  const { kind, spec } = specIn(object) ?? {};
  if (spec === undefined || kind === POD) return undefined;
  const { imagePullSecrets: secrets, serviceAccountName, serviceAccount } = spec;
  if (Array.isArray(secrets) && secrets.length > 0) return undefined;
  const name = serviceAccountName || serviceAccount || 'default';
  return isName(name) ? name : undefined;
}

/** The names of the Secrets with which the Pods of a ServiceAccount pull their images, as of podSecretsOf. */
export function accountSecretsOf(account: unknown): readonly string[] {
  return secretNames(isJsonObject(account) ? account.imagePullSecrets : undefined);
}

function specIn(object: unknown) {
  const kind = isJsonObject(object) ? coveredKind(object.apiVersion, object.kind) : undefined;
  const spec = kind && podSpecOf(object as JsonObject, kind);
  return kind && spec && { kind, spec };
}

function secretNames(secrets: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(secrets)) return [];
  const names = (secrets as readonly JsonValue[]).map((secret) => (isJsonObject(secret) ? secret.name : undefined));
  return [...new Set(names.filter(isName))];
}

function isName(name: JsonValue | undefined): name is string {
  return typeof name === 'string' && name.length <= LONGEST_NAME && NAME.test(name);
}
