import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fetchEvidence, findEntries, findWords, isWordBundle } from '@colophon/evidence/client';
import { kindOf } from '@colophon/fault';
import {
  type AskedPlace,
  type EvidenceExplanation,
  explainArtifact,
  type FoundBundle,
  fetchNegatives,
  fileSequencePins,
  NegativesViews,
} from '@colophon/gate';
import { eachAtOnce } from '@colophon/peer';
import { type HashedArtifact, LogClient, type LoggedEntry } from '@colophon/sigstore';
import type { Command } from 'commander';
import { seenSequencesFolder } from '../home/home.ts';
import { negativesOfStore } from '../home/negatives-of-store.ts';
import { readBounded } from '../input/bounded-input.ts';
import { assertReadableFile } from '../input/input.ts';
import type { Session } from '../program/program.ts';
import type { Trust } from '../trust/trust.ts';

/** Far more than a bundle has that anybody wrote. */
const MOST_BUNDLE_BYTES = 32 * 1024 * 1024;
/** Bundles beside a file, and of one artifact in a store, that are looked at. */
const MOST_BUNDLES = 1_000;
const MOST_LOG_ENTRIES = 1_000;

export type ArtifactToExplain = {
  readonly kind: 'file' | 'digest';
  readonly name: string;
  readonly artifact: HashedArtifact;
  readonly trust: Trust;
  /** Of the evidence store and of the log; undefined where none is known. */
  readonly evidenceUrl: string | undefined;
  readonly rekorUrl: string | undefined;
};

/** Explains a file or a digest by the bundles beside the file, the evidence store, the log and the list of rejections. */
export async function explainedArtifact(
  asked: ArtifactToExplain,
  command: Command,
  session: Session,
): Promise<EvidenceExplanation> {
  const { kind, name, artifact, trust, evidenceUrl, rekorUrl } = asked;
  const search = new Search();
  const own = negativesOfStore(trust.files, command, session);
  const [beside, stored, logEntries, lists] = await Promise.all([
    kind === 'file' ? search.at('files', dirname(name), (note) => bundlesBeside(name, note)) : [],
    evidenceUrl === undefined
      ? search.notAsked('evidence-store', 'none is known: --evidence-url')
      : search.at('evidence-store', evidenceUrl, (note) => storedBundles(evidenceUrl, artifact, note)),
    rekorUrl === undefined
      ? search.notAsked('log', 'none is known: --rekor-url')
      : search.at('log', rekorUrl, (note) => entriesOf(rekorUrl, artifact, trust, note)),
    own === undefined ? search.notAsked('rejection-list', 'no list is known') : [await fetchNegatives(own.from)],
  ]);
  const pins = fileSequencePins(seenSequencesFolder(session.env));
  const views = new NegativesViews(lists, { trust: trust.trust, pins, now: new Date() });
  return explainArtifact({
    kind,
    name,
    artifact,
    trust: trust.trust,
    bundles: [...beside, ...stored],
    lists: own === undefined ? [] : [await views.of(own)],
    logEntries,
    reviewsOf: async (commits) =>
      evidenceUrl === undefined || commits.length === 0
        ? []
        : search.at('evidence-store', evidenceUrl, async (note) => wordsAbout(evidenceUrl, commits, note)),
    places: () => search.places,
  });
}

/** Says of a place that it did not give all that it has, and why. */
type Note = (why: string) => void;

/** Where was looked. What a place could not answer is no absence, and hides nothing that it did answer. */
class Search {
  readonly #places = new Map<AskedPlace['place'], AskedPlace>();

  get places(): readonly AskedPlace[] {
    return [...this.#places.values()];
  }

  async at<T>(
    place: AskedPlace['place'],
    address: string,
    ask: (note: Note) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const note: Note = (detail) => this.#places.set(place, { place, state: 'incomplete', address, detail });
    const [found = []] = await eachOf([undefined], () => ask(note), note);
    if (!this.#places.has(place)) this.#places.set(place, { place, state: 'asked', address });
    return found;
  }

  notAsked(place: AskedPlace['place'], detail: string): readonly never[] {
    this.#places.set(place, { place, state: 'not-asked', detail });
    return [];
  }
}

/** `FILE.sigstore.json` and `FILE.<kind>.sigstore.json`, as `sign-blob` and `attest-blob` write them. */
async function bundlesBeside(file: string, note: Note): Promise<readonly FoundBundle[]> {
  const start = `${basename(file)}.`;
  const names = readdirSync(dirname(file)).filter(
    (name) => name.startsWith(start) && /(?:^|\.)sigstore\.json$/.test(name.slice(start.length)),
  );
  const paths = names.sort().map((name) => join(dirname(file), name));
  return eachOf(
    within(MOST_BUNDLES, paths, note),
    async (path) => {
      // Whoever made the folder may have put a pipe there, at which the reader would wait for ever.
      assertReadableFile(path);
      return { bytes: await readBounded(path, MOST_BUNDLE_BYTES), found_in: 'files' as const, name: path };
    },
    note,
  );
}

async function storedBundles(server: string, { sha256 }: HashedArtifact, note: Note): Promise<readonly FoundBundle[]> {
  return fetchAll(server, await findEntries(server, 'entries', `artifact in (sha256:${sha256})`), note);
}

/** Reviews of commits, and what says no to them by another name; nothing else that is about them. */
async function wordsAbout(server: string, commits: readonly string[], note: Note): Promise<readonly FoundBundle[]> {
  const found = await fetchAll(server, await findWords(server, commits), note);
  const words = await eachOf(found, async (one) => (isWordBundle(one.bytes) ? [one] : []), note);
  return words.flat();
}

async function fetchAll(server: string, ids: readonly string[], note: Note): Promise<readonly FoundBundle[]> {
  return eachOf(
    within(MOST_BUNDLES, ids, note),
    async (id) => ({
      bytes: await fetchEvidence(server, id),
      found_in: 'evidence-store' as const,
      name: `sha256:${id}`,
    }),
    note,
  );
}

async function entriesOf(
  rekorUrl: string,
  { sha256 }: HashedArtifact,
  { trust }: Trust,
  note: Note,
): Promise<readonly LoggedEntry[]> {
  const client = new LogClient({ rekorUrl, trust });
  const { uuids, more } = await client.searchByDigest(sha256, { limit: MOST_LOG_ENTRIES });
  if (more) note(`more than ${MOST_LOG_ENTRIES} entries`);
  return eachOf(uuids, (uuid) => client.entryByUuid(uuid, { about: sha256 }), note);
}

function within<T>(most: number, items: readonly T[], note: Note): readonly T[] {
  if (items.length > most) note(`${items.length} bundles, of which ${most} are looked at`);
  return items.slice(0, most);
}

/** What `work` makes of each item, in the order of the items; of those that fail is noted why. */
async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>, note: Note): Promise<R[]> {
  const answers = await eachAtOnce(items, async (item) => {
    try {
      return { ok: true as const, value: await work(item) };
    } catch (error) {
      // What carries no kind is an accident.
      if (kindOf(error) === undefined) throw error;
      const { code, message } = error as { readonly code: string; readonly message: string };
      return { ok: false as const, why: `${code}: ${message}` };
    }
  });
  for (const answer of answers) if (!answer.ok) note(answer.why);
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
}
