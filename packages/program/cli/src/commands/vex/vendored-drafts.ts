import { createHash } from 'node:crypto';
import { join, resolve, sep } from 'node:path';
import { readForComparison, textOf } from '@colophon/grammars';
import type { Bom, Component } from '@colophon/sbom';
import { areComparable, compareSources } from '@colophon/similarity';
import {
  type CodeSighting,
  covers,
  draftVendored,
  matchablePurl,
  type VendoredEvidence,
  VexError,
  type VexStatement,
} from '@colophon/vex';
import { CliError } from '../../cli-error/cli-error.ts';
import { readSbom } from '../../sbom-file/sbom-file.ts';
import { readSourceFile } from '../../similarity/source-files.ts';
import { productsOf, type StatementFlags, vulnerabilityOf } from './statement-flags.ts';

/** The flags of drafts: what the vulnerability is in, and the code that is vulnerable. */
export type DraftFlags = {
  readonly draftFrom?: string;
  readonly madeFrom?: string;
  readonly vulnerableCode?: readonly string[];
  readonly repository?: string;
};

/**
 * Drafts for the vendored components of an SBOM that were made from a package: that its vulnerable code is not in them,
 * as far as it is found nowhere in their files.
 * @throws VexError `vex.draft_*`; CliError `cli.usage`, `cli.file_differs` where a file is not the one of the SBOM
 */
export async function vendoredDrafts(flags: StatementFlags & DraftFlags, at: string): Promise<readonly VexStatement[]> {
  const { draftFrom, madeFrom, vulnerableCode = [], repository = '.' } = flags;
  if (flags.status !== undefined) {
    throw new CliError('cli.usage', 'a draft says what was found, and no status of yours', {
      expected: '--draft-from without --status',
    });
  }
  const bom = await readSbom(draftFrom as string);
  const components = madeOf(bom, madeFrom as string);
  const [product] = await productsOf({
    ...flags,
    ...(flags.product === undefined ? { sbom: draftFrom as string } : {}),
  });
  const statements: VexStatement[] = [];
  for (const { component, source } of components) {
    const evidence = await evidenceOf(component, source, vulnerableCode, repository);
    statements.push(draftVendored(evidence, { vulnerability: vulnerabilityOf(flags), product: product!, at }));
  }
  return statements;
}

/** The components whose pedigree names the package. */
function madeOf(bom: Bom, wanted: string): ReadonlyArray<{ readonly component: Component; readonly source: string }> {
  const general = matchablePurl(wanted);
  if (general === undefined) {
    throw new CliError('cli.usage', `${wanted} is no package URL`, { expected: 'e.g. pkg:npm/fair-split' });
  }
  const found: Array<{ component: Component; source: string }> = [];
  const waiting = [...(bom.components ?? [])];
  for (const component of waiting) {
    // What is added here is gone through, too.
    for (const inner of component.components ?? []) waiting.push(inner);
    const { ancestors = [] } = (component.pedigree ?? {}) as { ancestors?: ReadonlyArray<{ purl?: string }> };
    for (const { purl } of ancestors) {
      const source = purl === undefined ? undefined : matchablePurl(purl);
      if (source !== undefined && covers(general, source)) found.push({ component, source: purl as string });
    }
  }
  if (found.length > 0) return found;
  throw new VexError('vex.draft_nothing_vendored', `nothing in the SBOM was made from ${wanted}`, {
    expected: 'a component with that package in pedigree.ancestors',
    next: `colophon sbom vendor FILE --made-from ${wanted}@VERSION --into SBOM, for the code that was`,
  });
}

async function evidenceOf(
  component: Component,
  source: string,
  vulnerableCode: readonly string[],
  root: string,
): Promise<VendoredEvidence> {
  const ref = component['bom-ref'] ?? component.name;
  const files = (component.evidence?.occurrences ?? []).map(({ location }) => location);
  const codes = await Promise.all(vulnerableCode.map(readCode));
  const sightings: CodeSighting[] = [];
  const unread: string[] = [];
  for (const file of files) {
    const { read, sha256 } = await readCode(inside(root, file));
    assertSameFile(component, file, sha256, files.length);
    if (read === undefined) {
      unread.push(`${file} is of no language that is read`);
      continue;
    }
    for (const { read: code, path } of codes) {
      if (code === undefined || !areComparable(code.source.language, read.source.language)) {
        unread.push(`${path} and ${file} are of different languages`);
        continue;
      }
      const { contained, score, verdict } = compareSources(code.source, read.source);
      const isTooSmall = verdict === 'too small to tell';
      sightings.push({ code: path, file, contained: contained.a, score, isTooSmall });
    }
  }
  const sha256 = component.hashes?.find(({ alg }) => alg === 'SHA-256')?.content;
  return {
    ref,
    ...(sha256 === undefined ? {} : { hashes: { 'sha-256': sha256 } }),
    source,
    files,
    sightings,
    unread,
  };
}

async function readCode(path: string) {
  const { bytes } = await readSourceFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const read = await readForComparison({ path, text: textOf(bytes) }).catch((error: { code?: string }) => {
    if (error.code === 'similarity.language_unknown') return undefined;
    throw error;
  });
  return { path, read, sha256 };
}

/** An SBOM may come from anybody: what it names is read below the folder alone. */
function inside(root: string, file: string): string {
  const path = resolve(root, file);
  if (path.startsWith(join(resolve(root), sep))) return path;
  throw new CliError('cli.usage', `the SBOM names a file outside ${root}`, { checked: file });
}

function assertSameFile({ hashes }: Component, file: string, found: string, count: number): void {
  const expected = hashes?.find(({ alg }) => alg === 'SHA-256')?.content;
  if (count !== 1 || expected === undefined || expected === found) return;
  throw new CliError('cli.file_differs', `${file} is not the file that the SBOM describes`, {
    checked: file,
    expected: `sha256:${expected}`,
    found: `sha256:${found}`,
    next: 'colophon sbom vendor, with --into, writes it anew',
  });
}
