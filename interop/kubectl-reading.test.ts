import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestImages, readManifest } from '@colophon/kubernetes';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { isMissing, run } from './programs.ts';

const INNER = 'metadata: { name: NAME }, spec: { containers: [{ name: i, image: inner }] }';
const INNER_POD = `{ apiVersion: v1, kind: Pod, ${INNER} }`;
const INNER_LIST = `{ apiVersion: v1, kind: List, items: [${INNER_POD}] }`;

/** What kubectl takes for a list, whatever else it is. */
const ITEMS = [
  ...[`[${INNER_POD}]`, `[{ ${INNER} }]`, `[${INNER_POD}, null]`, `[${INNER_POD}, text]`, `[${INNER_LIST}]`],
  ...[`[{ apiVersion: v1, kind: PodList, items: [{ ${INNER} }] }]`, '[]', '[null]', '{}', '', 'text', INNER_POD],
  ...[`[{ apiVersion: v1, kind: Pod, ${INNER}, items: [] }]`, `[{ kind: Pod, ${INNER} }]`, `[{ kind: '', ${INNER} }]`],
  `[{ apiVersion: v1, kind: ConfigMap, metadata: { name: NAME }, items: [${INNER_POD}] }]`,
  '[{ apiVersion: example.com/v1, kind: Runner, metadata: { name: NAME }, spec: { image: custom } }]',
].flatMap((items) => ['items', '"items"', '? items\n', 'Items'].map((name) => `${name}: ${items}\n`));

/** Lines that kubectl may take for the beginning of a document, and what may be one behind them. */
const SEPARATORS = ['---', '...'].flatMap((marker) =>
  ['#', '#:', '\u00a0#:', '\u00a0', '\u000b#:', ' #:', ' # c', '\t', ':', ' x:'].map(
    (rest) => `${marker}${rest}\n apiVersion: v1\n kind: Pod\n ${INNER.replace(', spec', '\n spec')}\n`,
  ),
);

/** What stands where a member of the object begins. */
const MEMBERS = [...ITEMS, ...SEPARATORS, 'kind: PodList\n', 'kind: ConfigMap\n', 'apiVersion: example.com/v1\n'];

/** What two readers of YAML may take for different things. */
const FRAGMENTS = [
  ...['\u0085', '\u2028', '\u2029', '\r', '\r\n', '\n', '\t', '\ufeff', '\u00a0', '\f', ' ', '  '],
  ...['!!merge ', '!!str ', '! ', '!x ', '!<tag:yaml.org,2002:merge> ', '!!binary ', '!!map ', '<<: ', '"<<": ', '<<'],
  ...['&k ', '*k ', '*k', '? ', ': ', ':', '- ', ', ', '# ', '#', '"', "'", '|\n', '>-\n', '|2\n', '\\'],
  ...['---\n', '--- ', '...\n', '%YAML 1.1\n', '%TAG ! tag:yaml.org,2002:\n', '{', '}', '[', ']', '~', 'null', '='],
  ...['initContainers: ', 'Image: other', 'image: other\n', '"im\\u0061ge": other\n', 'spec:\n'],
];

/** Between the parts of it stands one of them, or nothing. */
const TEMPLATE = [
  ...['', 'apiVersion: v1\n', 'kind: Pod\n', 'metadata: { name: NAME }\n', 'spec:', '\n'],
  ...['  # ', '  initContainers: [{ name: first, image: first }]\n', '  ', 'containers:', '\n    - { ', 'name: a, '],
  ...['image: ', 'second', ' }\n    - ', 'name: b\n      ', 'image: ', '>-\n        third\n', ''],
  ...['  "initContainers"', ': ', '[{ name: c, "', 'image": "', 'fourth" }]\n', '  volumes: ', '\n  - ', '{ name: v, '],
  ...['image: { ', 'reference: ', 'fifth } }\n', ''],
];

/** The parts behind which a member of the object may stand. */
const MEMBER_PLACES = [0, 1, 2, 3, TEMPLATE.length - 1];

const FILES = 6_000;
const SEED = 11;

const places = fc.array(
  fc.oneof(
    { arbitrary: fc.tuple(fc.nat(TEMPLATE.length - 1), fc.constantFrom(...FRAGMENTS)), weight: 3 },
    { arbitrary: fc.tuple(fc.constantFrom(...MEMBER_PLACES), fc.constantFrom(...MEMBERS)), weight: 1 },
  ),
  { minLength: 1, maxLength: 3 },
);

/** Files by the names of their Pods. */
function writtenFiles(): Map<string, string> {
  const samples = fc.sample(places, { numRuns: FILES, seed: SEED });
  return new Map(
    samples.map((inserted, index) => {
      const after = (place: number) => inserted.flatMap(([at, fragment]) => (at === place ? [fragment] : []));
      const text = TEMPLATE.flatMap((part, place) => [part, ...after(place)]).join('');
      return [`p${index}`, text.replaceAll('NAME', `p${index}`)];
    }),
  );
}

type ReadPod = { readonly metadata: { readonly name: string }; readonly spec?: Readonly<Record<string, unknown>> };
type Imaged = { readonly image?: string & { readonly reference?: string } };

/** Every image of a Pod or of the custom resource, as kubectl reads it. */
function imagesIn({ spec = {} }: ReadPod): string[] {
  const entries = (key: string) => [spec[key] ?? []].flat() as readonly Imaged[];
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap(entries);
  const volumes = entries('volumes').map(({ image }) => image?.reference);
  const images = [...containers.map(({ image }) => image), ...volumes, spec['image']];
  return images.filter((image) => typeof image === 'string');
}

/** Every image that we read of a file; undefined where it, or an object in it, is refused. */
function ourImages(text: string): ReadonlySet<string | undefined> | undefined {
  const read = readManifest(Buffer.from(text));
  if (!read.ok) return undefined;
  const images = new Set<string | undefined>();
  for (const { images: found } of manifestImages(read.documents)) {
    if (found.outcome === 'no-images') continue;
    if (found.outcome !== 'read') return undefined;
    for (const { image } of found.places) images.add(image);
  }
  return images;
}

test.skipIf(isMissing('kubectl'))('whatever kubectl reads of a file, no image of it escapes us', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-kubectl-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const texts = writtenFiles();
  for (const [name, text] of texts) writeFileSync(join(folder, `${name}.yaml`), text);
  const args = ['label', '--local', '-f', folder, '--dry-run=client', '-o', 'json', 'a=b'];
  const { stdout } = await run('kubectl', args, { env: { HOME: folder } });
  const pods = stdout.split(/^(?=\{)/m).filter(Boolean) as readonly string[];
  const escaped: unknown[] = [];
  let compared = 0;
  for (const pod of pods.map((one): ReadPod => JSON.parse(one))) {
    const text = texts.get(pod.metadata.name);
    const ours = text === undefined ? undefined : ourImages(text);
    if (ours === undefined) continue;
    compared += 1;
    const missed = imagesIn(pod).filter((image) => !ours.has(image));
    if (missed.length > 0) escaped.push({ text, missed });
  }
  expect(escaped).toEqual([]);
  expect(compared).toBeGreaterThan(FILES / 20);
});
