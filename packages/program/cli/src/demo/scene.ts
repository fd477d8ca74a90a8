import { RegistryClient } from '@colophon/sigstore';
import type { Change } from './change.ts';
import { buildImage, pushImage } from './oci-image.ts';
import type { Stage } from './stage.ts';

/** What the acts of the demo share. */
export type Scene = {
  readonly stage: Stage;
  readonly issuer: string;
  readonly registry: string;
  readonly change: Change;
  /** The image that was admitted, by digest. */
  readonly image: string;
  readonly tree: Readonly<Record<string, Uint8Array>>;
};

/** Builds an image of these files and pushes it; answers with its reference by digest. */
export async function pushImageOf(
  registry: string,
  repository: string,
  files: Readonly<Record<string, Uint8Array>>,
  commit: string,
): Promise<string> {
  const image = buildImage({ files, labels: { 'org.opencontainers.image.revision': commit } });
  const { digest } = await pushImage(new RegistryClient(), { registry, repository }, 'demo', image);
  return `${registry}/${repository}@${digest}`;
}
