// `node tools/licence-variants.ts FOLDER` writes packages/contents/licences/src/text/licence-variants.json: what may vary in the texts
// of `spdx-license-list`. FOLDER is `src` of a checkout of https://github.com/spdx/license-list-XML.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadLicenceTexts } from '../packages/contents/licences/src/text/licence-text.ts';
import { readLicenceXml } from './licence-variants/licence-xml.ts';
import { type PlacedVariant, placePublished, placeVariants, wordRange } from './licence-variants/place-variants.ts';
import { NOTICES, PUBLISHED_VARIANTS } from './licence-variants/published-variants.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('which folder has the XML files of the SPDX list?');
  process.exit(1);
}
const { textOf } = await loadLicenceTexts();
const variants: Record<string, PlacedVariant[]> = {};
for (const name of readdirSync(folder)
  .filter((one) => one.endsWith('.xml'))
  .sort()) {
  const xml = readLicenceXml(readFileSync(join(folder, name), 'utf8'));
  const listed = xml && textOf(xml.id);
  if (xml === undefined || listed === undefined) continue;
  const placed = [...placeVariants(listed, xml), ...placePublished(listed, PUBLISHED_VARIANTS[xml.id] ?? [])];
  if (placed.length > 0) variants[xml.id] = placed;
}
const notices = NOTICES.map(({ in: id, from, to, says }) => [id, ...wordRange(textOf(id)!, from, to), says]);
const lines = Object.entries(variants).map(([id, placed]) => `    ${JSON.stringify(id)}: ${JSON.stringify(placed)}`);
writeFileSync(
  join(import.meta.dirname, '../packages/contents/licences/src/text/licence-variants.json'),
  `{\n  "notices": ${JSON.stringify(notices)},\n  "variants": {\n${lines.join(',\n')}\n  }\n}\n`,
);
