/**
 * What can sign, issue, upload or open our database. What a program needs at a registry stays: DOCKER_CONFIG, AWS_*.
 */
const WITHHELD =
  /^(?:COLOPHON_.*|DTRACK_API_KEY|SIGSTORE_ID_TOKEN|ACTIONS_ID_TOKEN_REQUEST_.*|ACTIONS_RUNTIME_TOKEN|COSIGN_.*|PG[A-Z]+)$/i;

/** The environment of a program that others made, without our secrets: it has no business with them. */
export function programEnvironment(
  env: NodeJS.ProcessEnv,
  own: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.test(name))), ...own };
}
