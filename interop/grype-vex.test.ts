import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageURL } from 'packageurl-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COLOPHON } from './colophon-up.ts';
import { grypeDatabase } from './grype-database.ts';
import { isMissing, run } from './programs.ts';

type Subject = { readonly '@id': string };
type Statement = {
  readonly vulnerability: { readonly name: string };
  readonly products: readonly (Subject & { readonly subcomponents?: readonly Subject[] })[];
};
type Vex = { readonly statements: readonly Statement[] };

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '..', '..', 'shared', 'data');
const VENDOR = join(DATA, 'openvex-vendor');
/** Vendors' documents whose products grype can go through one by one in a few seconds. */
const DOCUMENTS = ['rancher__confd', 'rancher__telemetry', 'harvester__webhook', 'gatekeeper__v3', 'python-start'];

/** Two versions of a library, one of which a vendor speaks of. */
const OWN: Vex & Record<string, unknown> = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Example',
  timestamp: '2026-01-31T12:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: 'CVE-2026-10001' },
      products: [
        { '@id': 'pkg:golang/example.com/app@v1.0.0', subcomponents: [{ '@id': 'pkg:golang/example.com/lib@v1.2.3' }] },
      ],
      ...{ status: 'not_affected', justification: 'vulnerable_code_not_present' },
    },
    {
      vulnerability: { name: 'CVE-2026-10002' },
      products: [
        { '@id': 'pkg:golang/example.com/app@v1.0.0', subcomponents: [{ '@id': 'pkg:golang/example.com/lib' }] },
      ],
      ...{ status: 'affected', action_statement: 'Take the next version.' },
    },
  ],
};

describe.skipIf(isMissing('grype', 'grype-database', 'syft'))('what grype leaves out when it is shown VEX', () => {
  test('is what we leave out, and the same after we read and wrote the document', async () => {
    const { shown, leftOut } = await compare(OWN);
    expect(leftOut).toEqual(['CVE-2026-10001 pkg:golang/example.com/lib@v1.2.3']);
    expect(shown).toContain('CVE-2026-10002 pkg:golang/example.com/lib@v1.2.3');
  });

  test.skipIf(!existsSync(VENDOR))('is the same for documents of vendors', async () => {
    for (const part of DOCUMENTS) {
      const file = readdirSync(VENDOR).find((name) => name.includes(part)) ?? part;
      const { leftOut } = await compare(JSON.parse(readFileSync(join(VENDOR, file), 'utf8')) as Vex);
      expect(leftOut.length, part).toBeGreaterThan(0);
    }
  });
});

/** Scans everything that a document speaks of, and two things that it does not, with grype and with our own matching. */
async function compare(vex: Vex): Promise<{ shown: string[]; leftOut: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-grype-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const write = (name: string, value: unknown) => {
    writeFileSync(at(name), JSON.stringify(value));
    return at(name);
  };
  const original = write('original.openvex.json', vex);
  const written = at('written.openvex.json');
  await must(COLOPHON, ['vex', 'convert', '--to', 'openvex', original, '--out', written]);

  const env = await grypeDatabase(at('database'), JSON.stringify(advisoriesOn(vex)));
  const sbom = await syftDocument(vex, at, write);
  const scan = async (...flags: string[]) => {
    const found = JSON.parse(await must('grype', [`sbom:${sbom}`, '-o', 'json', '-q', ...flags], env)) as GrypeOutput;
    return found.matches.map(({ vulnerability, artifact }) => `${vulnerability.id} ${artifact.purl}`).sort();
  };
  const all = await scan();
  const shown = await scan('--vex', original);
  expect(await scan('--vex', written)).toEqual(shown);

  const findings = at('findings.json');
  writeFileSync(findings, await must('grype', [`sbom:${sbom}`, '-o', 'json', '-q'], env));
  const applied = JSON.parse(
    await must(COLOPHON, [
      ...['vex', 'apply', written, '--scan', findings, '-o', 'json'],
      ...productsOf(vex).flatMap((product) => ['--product', product]),
    ]),
  ) as { findings: { vulnerability: string; component: { purl: string }; suppressed: boolean }[] };
  const leftOut = [...new Set(all.filter((one) => !shown.includes(one)))];
  const ours = applied.findings.filter(({ suppressed }) => suppressed);
  expect(new Set(ours.map(({ vulnerability, component }) => withoutV(`${vulnerability} ${component.purl}`)))).toEqual(
    new Set(leftOut.map(withoutV)),
  );
  return { shown, leftOut };
}

const productsOf = ({ statements }: Vex) => [
  ...new Set(statements.flatMap(({ products }) => products.map((product) => product['@id']))),
];

/** Go's versions come with a v and without; for us both are one component, for grype two. */
const withoutV = (text: string) => text.replace('@v', '@');

type GrypeOutput = { matches: { vulnerability: { id: string }; artifact: { purl: string } }[] };

/** The packages that statements name, in the versions that they name, and one version that nobody speaks of. */
function packagesOf(vex: Vex): PackageURL[] {
  const purls = vex.statements.flatMap(({ products }) =>
    products.flatMap(({ subcomponents = [] }) => subcomponents.map((one) => one['@id'])),
  );
  return [...new Set(purls)].flatMap((purl) => {
    const { type, namespace, name, version } = PackageURL.fromString(purl);
    if (type !== 'golang') return [];
    return [...new Set([version ?? 'v1.2.3', 'v0.0.1'])].map(
      (one) => new PackageURL(type, namespace, name, one, undefined, undefined),
    );
  });
}

const nameOf = ({ namespace, name }: PackageURL) => (namespace == null ? name : `${namespace}/${name}`);

/** Every vulnerability that the document names, and one that it does not, in every version of every package. */
function advisoriesOn(vex: Vex): object[] {
  const names = [...new Set(packagesOf(vex).map(nameOf))];
  const ids = [...new Set(vex.statements.map(({ vulnerability }) => vulnerability.name)), 'CVE-2026-99999'];
  return ids.map((id) => ({
    id,
    published: '2026-01-01T00:00:00Z',
    modified: '2026-01-01T00:00:00Z',
    affected: names.map((name) => ({
      package: { ecosystem: 'Go', name },
      ranges: [{ events: [{ introduced: '0' }] }],
    })),
  }));
}

/** A document of syft's own for an image that goes by the name of every product that statements name. */
async function syftDocument(
  vex: Vex,
  at: (name: string) => string,
  write: (name: string, value: unknown) => string,
): Promise<string> {
  const components = packagesOf(vex).map((purl, i) => ({
    type: 'library',
    'bom-ref': String(i),
    name: nameOf(purl),
    version: purl.version,
    purl: purl.toString(),
  }));
  const cyclonedx = write('sbom.cdx.json', { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components });
  await must('syft', ['convert', cyclonedx, '-o', `syft-json=${at('converted.json')}`, '-q']);
  const converted = JSON.parse(readFileSync(at('converted.json'), 'utf8')) as object;
  const metadata = {
    userInput: 'image',
    imageID: `sha256:${'0'.repeat(64)}`,
    tags: [],
    repoDigests: productsOf(vex),
    layers: [],
  };
  return write('sbom.syft.json', {
    ...converted,
    source: { id: 'image', name: '', version: '', type: 'image', metadata },
  });
}

async function must(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { env });
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${stderr}`);
  return stdout;
}
