import { executableAssets } from '../program/assets.ts';
import { bundleModules } from '../program/bundle.ts';
import type { BundledPackage } from './bundled-packages.ts';
import { bundledPackages } from './notices.ts';

/** The packages of others in every form of the program; only Node.js is in some of them beside. */
export async function shippedPackages(): Promise<BundledPackage[]> {
  return bundledPackages(await bundleModules(), executableAssets().values());
}

/** The list that reviews see change: a line for each package. */
export function packageList(packages: readonly BundledPackage[]): string {
  return packages.map(({ name, version, licence }) => `${name} ${version} ${licence}\n`).join('');
}
