// Writes the list of bundled packages that reviews see change: `node release/notices/write.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executableAssets } from '../program/assets.ts';
import { bundleModules } from '../program/bundle.ts';
import { bundledPackages } from './notices.ts';

const packages = bundledPackages(await bundleModules(), executableAssets().values());
const lines = packages.map(({ name, version, licence }) => `${name} ${version} ${licence}\n`);
writeFileSync(join(import.meta.dirname, 'bundled-packages.txt'), lines.join(''));
