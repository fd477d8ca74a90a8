import type { Bom } from '@colophon/sbom';
import nodes from '../executable/nodes.json' with { type: 'json' };
import { bringPackage } from '../image/debian-package.ts';
import { type Architecture, DISTRIBUTION, packagesFor, readLock } from '../image/lock.ts';
import { MANIFEST, NAMES } from '../names.ts';
import { shippedPackages } from '../notices/shipped-packages.ts';
import { debianPart, nodePart, npmPart, type Part } from './components.ts';
import { releaseSbom } from './release-sbom.ts';

/** The SBOM of the npm program: the packages that are bundled in it. */
export async function programSbom(created: Date): Promise<Bom> {
  const purl = `pkg:npm/${NAMES.program}@${MANIFEST.version}`;
  return releaseSbom({ type: 'application', purl, parts: await bundledParts(), created });
}

/** The SBOM of an executable: the same, and Node.js. */
export async function executableSbom(platform: string, created: Date): Promise<Bom> {
  const purl = `pkg:generic/${NAMES.program}@${MANIFEST.version}?platform=${platform}`;
  return releaseSbom({ type: 'application', purl, parts: await executableParts(), created });
}

/** The SBOM of the image for one architecture: an executable, and the Debian packages below it. */
export async function imageSbom(architecture: Architecture, created: Date): Promise<Bom> {
  const packages = await Promise.all(packagesFor(architecture, readLock()).map(bringPackage));
  const [name = '', version = ''] = DISTRIBUTION.split('-');
  const system = { type: 'operating-system', 'bom-ref': DISTRIBUTION, name, version };
  return releaseSbom({
    type: 'container',
    purl: `pkg:oci/${NAMES.program}?arch=${architecture}&tag=${MANIFEST.version}`,
    parts: [...(await executableParts()), ...packages.map((one) => debianPart(one, DISTRIBUTION))],
    surroundings: [system],
    created,
  });
}

async function bundledParts(): Promise<Part[]> {
  return (await shippedPackages()).map(npmPart);
}

async function executableParts(): Promise<Part[]> {
  return [nodePart(nodes.version), ...(await bundledParts())];
}
