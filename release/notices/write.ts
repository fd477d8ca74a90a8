// Writes the list of bundled packages that reviews see change: `node release/notices/write.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageList, shippedPackages } from './shipped-packages.ts';

writeFileSync(join(import.meta.dirname, 'bundled-packages.txt'), packageList(await shippedPackages()));
