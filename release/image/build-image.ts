// Builds the executables, and of them the container image: `node release/image/build-image.ts [PLATFORM...]`, without one
// for all. It is an OCI layout in dist/image, and the same in one tar.
import { createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildExecutables, executableFile } from '../executable/build-executable.ts';
import { platformsNamed } from '../executable/node-binary.ts';
import { DIST, MANIFEST, NAMES, ROOT } from '../names.ts';
import { sourceRevision, sourceTime } from '../source-time.ts';
import { imageConfig, imageLabels } from './config.ts';
import { debianLayer } from './debian-layer.ts';
import { bringPackage } from './debian-package.ts';
import { type Architecture, packagesFor, readLock } from './lock.ts';
import { ImageLayout } from './oci.ts';
import { programLayer } from './program-layer.ts';
import { type TarEntry, writeTar } from './tar.ts';

export const IMAGE_FOLDER: string = join(DIST, 'image');
export const IMAGE_TAR: string = join(DIST, `${NAMES.program}-${MANIFEST.version}-image.tar`);

const DEBIAN = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const satisfies Record<string, Architecture>;
type ImagePlatform = keyof typeof DEBIAN;
/** Every platform for which there is an image. */
export const IMAGE_PLATFORMS = Object.keys(DEBIAN) as readonly ImagePlatform[];

/**
 * Builds it for each platform, and answers with the digest that names all of them. The executables are built with it: one
 * that lies there may be of another source than the labels name.
 */
export async function buildImage(platforms: readonly ImagePlatform[]): Promise<string> {
  await buildExecutables(platforms);
  const time = sourceTime();
  const labels = imageLabels({ created: time, revision: sourceRevision() });
  const layout = new ImageLayout(IMAGE_FOLDER);
  const images = [];
  for (const platform of platforms) {
    const architecture = DEBIAN[platform];
    const packages = await Promise.all(packagesFor(architecture, readLock()).map(bringPackage));
    const layers = [
      await layout.addLayer(debianLayer(packages), time),
      await layout.addLayer(programLayer(executableFile(platform), join(ROOT, 'LICENSE')), time),
    ];
    images.push(layout.addImage(imageConfig({ architecture, created: time, labels }), layers));
  }
  const { digest } = layout.finish(images, labels, `${NAMES.program}:${MANIFEST.version}`);
  await writeTar(filesIn(IMAGE_FOLDER), time, createWriteStream(IMAGE_TAR));
  return digest;
}

function filesIn(folder: string): TarEntry[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const file = join(folder, name);
    const path = relative(folder, file);
    if (statSync(file).isDirectory()) return { type: 'directory', path, mode: 0o755 };
    const content = statSync(file).size > 1_000_000 ? { file } : readFileSync(file);
    return { type: 'file', path, mode: 0o644, content };
  });
}

if (import.meta.main) {
  const digest = await buildImage(platformsNamed(IMAGE_PLATFORMS, IMAGE_PLATFORMS));
  process.stdout.write(`${digest}\n`);
}
