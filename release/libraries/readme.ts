import { type Published, tarballName } from './names.ts';

/** What the README says of the built package. */
export type Installation = {
  /** Folder names of the library and everything of ours that it needs. */
  readonly names: readonly string[];
  /** The range of Node. */
  readonly node: string;
};

/**
 * The README as it is published: with a section on installation after the first paragraph, and without links into the
 * repository, which lead nowhere from a registry's page.
 */
export function publishedReadme(readme: string, { names, node }: Installation, published: Published): string {
  const [title = '', purpose = '', ...rest] = readme.trimEnd().split('\n\n');
  const tarballs = names.map((name) => `./${tarballName(name, published)}`).join(' ');
  const section = [
    '## Install',
    `From the tarballs of a release:`,
    ['```sh', `npm install ${tarballs}`, '```'].join('\n'),
    `An ES module for Node ${node.replaceAll('||', 'or')}, with declarations for TypeScript 5.9 and newer.`,
    '## Use',
  ];
  return `${[title, purpose, ...section, ...rest].join('\n\n').replace(/(?<!!)\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, '$1')}\n`;
}
