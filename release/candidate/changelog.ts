import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../names.ts';

/**
 * What the changelog says of a version: the text below its heading, without it.
 * @throws Error where it says nothing
 */
export function changesOf(
  version: string,
  changelog: string = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
): string {
  const sections = changelog.split(/^## /m).slice(1);
  const text = sections.find((section) => section.startsWith(`${version}\n`))?.slice(version.length) ?? '';
  if (text.trim() === '') throw new Error(`CHANGELOG.md says nothing below "## ${version}"`);
  return `${text.trim()}\n`;
}

/** @throws Error for a tag of another version than the one that is built */
export function assertTagOf(version: string, tag: string): void {
  if (tag !== `v${version}`) throw new Error(`the tag ${tag} is not v${version}, the version in package.json`);
}
