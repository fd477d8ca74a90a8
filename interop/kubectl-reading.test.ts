import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestImages, readManifest } from '@colophon/kubernetes';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { isMissing, run } from './programs.ts';

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
  ...['', 'apiVersion: v1\nkind: Pod\nmetadata: { name: NAME }\n', 'spec:', '\n'],
  ...['  # ', '  initContainers: [{ name: first, image: first }]\n', '  ', 'containers:', '\n    - { ', 'name: a, '],
  ...['image: ', 'second', ' }\n    - ', 'name: b\n      ', 'image: ', '>-\n        third\n', ''],
  ...['  "initContainers"', ': ', '[{ name: c, "', 'image": "', 'fourth" }]\n', '  volumes: ', '\n  - ', '{ name: v, '],
  ...['image: { ', 'reference: ', 'fifth } }\n', ''],
];

const FILES = 3_000;
const SEED = 11;

const places = fc.array(fc.tuple(fc.nat(TEMPLATE.length - 1), fc.constantFrom(...FRAGMENTS)), {
  minLength: 1,
  maxLength: 3,
});

/** Files by the names of their Pods. */
function writtenFiles(): Map<string, string> {
  const samples = fc.sample(places, { numRuns: FILES, seed: SEED });
  return new Map(
    samples.map((inserted, index) => {
      const after = (place: number) => inserted.flatMap(([at, fragment]) => (at === place ? [fragment] : []));
      const text = TEMPLATE.flatMap((part, place) => [part, ...after(place)]).join('');
      return [`p${index}`, text.replace('NAME', `p${index}`)];
    }),
  );
}

type ReadPod = { readonly metadata: { readonly name: string }; readonly spec?: Readonly<Record<string, unknown>> };
type Imaged = { readonly image?: string & { readonly reference?: string } };

/** Every image of a Pod, as kubectl reads it. */
function imagesIn({ spec = {} }: ReadPod): string[] {
  const entries = (key: string) => [spec[key] ?? []].flat() as readonly Imaged[];
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap(entries);
  const images = [...containers.map(({ image }) => image), ...entries('volumes').map(({ image }) => image?.reference)];
  return images.filter((image) => typeof image === 'string');
}

/** Every image that we read of a file; undefined where it is refused. */
function ourImages(text: string): ReadonlySet<string | undefined> | undefined {
  const read = readManifest(Buffer.from(text));
  if (!read.ok) return undefined;
  const images = new Set<string | undefined>();
  for (const { images: found } of manifestImages(read.documents)) {
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
