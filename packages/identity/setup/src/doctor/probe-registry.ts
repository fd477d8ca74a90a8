import { type CredentialSource, RegistryClient, RegistryError } from '@colophon/sigstore';
import { type Finding, fault, fine } from './finding.ts';

/** Whether the registry answers, with the credentials of this user. */
export async function probeRegistry(
  registry: string,
  credentials: CredentialSource,
  fetch: typeof globalThis.fetch | undefined,
): Promise<readonly Finding[]> {
  const client = new RegistryClient({ credentials, ...(fetch === undefined ? {} : { fetch }), timeoutMs: 10_000 });
  try {
    // That there is no such image is an answer too.
    await client.getManifest({ registry, repository: 'colophon-doctor' }, 'none');
    return [fine('registry', `${registry} answers`)];
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const isUnauthorized = error.code === 'registry.unauthorized' || error.code === 'registry.denied';
    return [
      fault('registry', {
        code: isUnauthorized ? 'doctor.registry_unauthorized' : 'doctor.registry_unreachable',
        refusal: error.code,
        message: error.message,
        ...(isUnauthorized ? { file: '$DOCKER_CONFIG/config.json, else ~/.docker/config.json' } : {}),
        advice: isUnauthorized
          ? `crane auth login ${registry}, or docker login ${registry}`
          : 'start the registry, or correct its name',
      }),
    ];
  }
}
