import { isJsonObject, type JsonValue } from '@colophon/json';
import { coveredKind } from '../covered-kind/covered-kind.ts';
import { podSpecOf } from '../image-places/image-places.ts';

/** RFC 1123, as the name of every Secret is. */
const SECRET_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/**
 * The names of the Secrets with which a Pod, or a Pod made from a template, pulls its images, each once. What no Secret
 * can be called is left out: the names become parts of paths.
 */
export function podSecretsOf(object: unknown): readonly string[] {
  const kind = isJsonObject(object) ? coveredKind(object.apiVersion, object.kind) : undefined;
  const secrets = kind && isJsonObject(object) ? podSpecOf(object, kind)?.imagePullSecrets : undefined;
  if (!Array.isArray(secrets)) return [];
  const names = (secrets as readonly JsonValue[]).map((secret) => (isJsonObject(secret) ? secret.name : undefined));
  return [...new Set(names.filter(isSecretName))];
}

function isSecretName(name: JsonValue | undefined): name is string {
  return typeof name === 'string' && name.length <= LONGEST_NAME && SECRET_NAME.test(name);
}
