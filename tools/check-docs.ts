// The documents say what the code does: codes, dependencies, silences of the contract, Fulcio's mapping, the programs of
// CI; links lead somewhere; nothing that belongs to one machine is committed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fulcioConfig } from '../packages/identity/setup/src/fulcio-configuration/fulcio-configuration.ts';
import { recipeProblems } from '../recipes/files.ts';
import { fences } from './doc-fences.ts';
import { silenceProblems } from './docs/contract-silences.ts';
import { dependencyProblems } from './docs/dependency-reasons.ts';
import { errorCodeProblems } from './docs/error-codes.ts';
import { errorPage, sentenceProblems } from './docs/error-page.ts';
import { forbiddenTextProblems } from './docs/forbidden-text.ts';
import { matrixPage } from './docs/matrix-page.ts';
import { otherControllersPage } from './docs/other-controllers-page.ts';
import { peerTableProblems } from './docs/peer-table.ts';
import { promiseProblems } from './docs/promised-tests.ts';
import { indexProblems, linkProblems } from './docs/relative-links.ts';
import { packageSources, trackedFiles } from './docs/tracked-files.ts';

const LARGEST_TEXT_BYTES = 4 * 1024 * 1024;

/** Every way in which the documents of the repository at `root` are wrong, one sentence each. */
export async function docProblems(root: string): Promise<string[]> {
  const files = trackedFiles(root);
  const shownConfigs = fences(join(root, 'docs/fulcio.md'), 'fulcio-config').map(({ text }) => text);
  return [
    ...(await errorCodeProblems(root, packageSources(root))),
    ...((await errorPage(root)) === readFileSync(join(root, 'docs/errors.md'), 'utf8')
      ? []
      : ['docs/errors.md: its tables are not what `node tools/docs/error-page.ts` writes']),
    ...(matrixPage(root) === readFileSync(join(root, 'docs/matrix.md'), 'utf8')
      ? []
      : ['docs/matrix.md: its table is not what `node tools/docs/matrix-page.ts` writes']),
    ...(otherControllersPage(root) === readFileSync(join(root, 'docs/other-controllers.md'), 'utf8')
      ? []
      : ['docs/other-controllers.md: its tables are not what `node tools/docs/other-controllers-page.ts` writes']),
    ...sentenceProblems(root, files),
    ...dependencyProblems(root),
    ...peerTableProblems(root),
    ...promiseProblems(root),
    ...recipeProblems(),
    ...silenceProblems(readFileSync(join(root, 'docs/spec-decisions.md'), 'utf8')),
    ...(shownConfigs.length === 1 && shownConfigs[0] === fulcioConfig()
      ? []
      : ['docs/fulcio.md: the block `yaml fulcio-config` is not what fulcioConfig makes']),
    ...linkProblems(
      root,
      files.filter((path) => path.endsWith('.md')),
    ),
    ...indexProblems(root, files),
    ...files.flatMap((path) => {
      const bytes = readFileSync(join(root, path));
      const isText = bytes.length <= LARGEST_TEXT_BYTES && !bytes.subarray(0, 8000).includes(0);
      return isText ? forbiddenTextProblems(path, bytes.toString('utf8')) : [];
    }),
  ];
}

if (import.meta.main) {
  const problems = await docProblems(join(import.meta.dirname, '..'));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
