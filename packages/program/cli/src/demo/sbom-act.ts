import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../exit-code/exit-code.ts';
import type { Scene } from './scene.ts';
import { REWRITTEN_PATH, SOURCE_PACKAGE } from './vendored-package.ts';

const ALLOWED = 'MIT,Apache-2.0,BSD-3-Clause';
const SUPPLIER = ['--supplier-name', 'Acme', '--supplier-url', 'https://acme.example'];

/**
 * The webshop's SBOM: what the agent rewrote from somebody's package is recognised, marked by its verified run, caught by
 * the licence gate; what is allowed is published and fetched back.
 */
export async function playSbom({ stage, issuer, change }: Scene): Promise<void> {
  const byAgent = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', issuer];
  stage.chapter('The SBOM, and the components that an agent wrote');

  stage.step('The SBOM of the webshop, complete and valid');
  const create = ['sbom', 'create', 'webshop', '--generator', 'lockfile', ...SUPPLIER];
  await stage.show([...create, '--out', 'webshop.cdx.json']);

  stage.step('A file that the agent wrote is similar to a published package');
  await writePackage('fair-split');
  const rewritten = join('webshop', REWRITTEN_PATH);
  await stage.show(['sbom', 'similarity', rewritten, join('fair-split', 'index.js')]);

  stage.step('It becomes a component of its own, with source, licence and similarity');
  const vendor = ['sbom', 'vendor', rewritten, '--made-from', SOURCE_PACKAGE.purl, '--source', 'fair-split'];
  await stage.show([...vendor, '--repository', 'webshop', '--into', 'webshop.cdx.json', '--out', 'webshop.cdx.json']);

  stage.step('The verified agent run attributes it');
  const attribute = ['sbom', 'attribute', 'webshop.cdx.json', '--commit', change.commit, ...byAgent];
  const written = change.isRepository ? ['--repository', 'webshop'] : [];
  await stage.show([...attribute, ...written, '--out', 'webshop.cdx.json']);
  await stage.show(['sbom', 'validate', 'webshop.cdx.json']);

  stage.step('The licence gate stops the release: the agent brought GPL code in');
  await stage.showRefusal(['sbom', 'licenses', 'webshop.cdx.json', '--allow', ALLOWED], {
    code: 'licence.not_allowed',
    exitCode: EXIT.refused,
  });

  stage.step('The file is removed; the new SBOM is published, fetched and verified');
  await rm(rewritten);
  await stage.run([...create, '--out', 'release.cdx.json']);
  await stage.show(['sbom', 'licenses', 'release.cdx.json', '--allow', ALLOWED]);
  await stage.show(['sbom', 'publish', 'release.cdx.json', '--context', 'context.json']);
  await stage.show(['sbom', 'fetch', 'webshop', '--from', issuer, ...byAgent, '--out', 'fetched.cdx.json']);
}

async function writePackage(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(SOURCE_PACKAGE.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
