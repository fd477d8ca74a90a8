import { STATEMENT_TYPE } from '@colophon/records';
import { imageToFetch, RegistryClient, type ResolvedImage, SIGN_PREDICATE_TYPE } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import {
  contentOf,
  type Logged,
  pemOf,
  relabel,
  type Signed,
  signText,
} from '@colophon/testkit/local-sigstore/relabel';
import { envelopeText, imagePayload } from '@colophon/testkit/local-sigstore/signed-texts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachBundle, attachOlderLayer } from '../../../signing/sigstore/src/image-signature/attach.ts';
import {
  olderAttestationLayer,
  olderSignatureLayer,
} from '../../../signing/sigstore/src/image-signature/older-format.ts';
import { pushImageOf } from '../src/demo/scene.ts';
import { type Installation, install } from './installation.ts';

// What a key signed of one kind is shown as one of another kind, on an image, to who verifies by that key.

const TYPE = 'https://slsa.dev/provenance/v1';
const local = new LocalSigstore();
const cleanup = cleanupAt(afterAll);
let here: Installation;
let root: string[];
let image: ResolvedImage;
let manifest: Buffer;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
  root = ['--trusted-root', here.file('root.json', local.trustedRootJson())];
  image = await pushed('base');
  manifest = Buffer.from((await new RegistryClient().getManifest(image, image.digest))?.bytes ?? []);
});
/** The same image, of the same digest, where nothing is attached to it. */
async function pushed(repository: string): Promise<ResolvedImage> {
  const files = { 'app/NAME': Buffer.from('webshop') };
  const reference = await pushImageOf(here.registry, repository, files, 'c'.repeat(40));
  return new RegistryClient().resolve(imageToFetch(reference));
}

const envelope = (predicateType: string, digest = image.digest) => {
  const subject = [{ name: 'image', digest: { sha256: digest.slice('sha256:'.length) } }];
  return envelopeText(Buffer.from(JSON.stringify({ _type: STATEMENT_TYPE, subject, predicateType, predicate: {} })));
};
const OTHER = `sha256:${'a'.repeat(64)}`;

/** What keys sign. */
const TEXTS = {
  'a file': () => Buffer.from('a file'),
  'the manifest as a file': () => manifest,
  'an attestation': () => envelope(TYPE),
  'an image signature': () => envelope(SIGN_PREDICATE_TYPE),
  'an older image signature': () => imagePayload(image.digest),
  'an attestation of another image': () => envelope(TYPE, OTHER),
  'a signature of another image': () => envelope(SIGN_PREDICATE_TYPE, OTHER),
  'an older signature of another image': () => imagePayload(OTHER),
} as const;
type Text = keyof typeof TEXTS;

/** Where it may be laid, and who then reads it. */
const PLACES = {
  'a bundle': async (place: ResolvedImage, signed: Signed, how: Logged) => {
    for (const content of ['envelope', 'message'] as const) {
      if (content !== contentOf(signed) && how === 'v1 again') continue;
      const bundle = toBytes(relabel(local, signed, content, how));
      await attachBundle(new RegistryClient(), place, { bundle, predicateType: TYPE, now: local.now });
    }
  },
  '.sig': async (place: ResolvedImage, signed: Signed, how: Logged) => {
    const bundle = toBytes(relabel(local, signed, 'message', how));
    for (const content of [signed.text, imagePayload(image.digest)]) {
      await attachOlderLayer(new RegistryClient(), place, 'sig', olderSignatureLayer(content, bundle));
    }
  },
  '.att': async (place: ResolvedImage, signed: Signed, how: Logged) => {
    const bundle = toBytes(relabel(local, signed, 'envelope', how));
    await attachOlderLayer(new RegistryClient(), place, 'att', olderAttestationLayer(bundle, TYPE));
  },
} as const;
type Place = keyof typeof PLACES;

/** What each place may hold that is what it says, and what it then counts as. */
const GOOD: Readonly<Record<string, readonly ('verify' | 'verify-attestation')[]>> = {
  'a bundle > an attestation': ['verify-attestation'],
  'a bundle > an image signature': ['verify'],
  '.sig > an older image signature': ['verify'],
  '.att > an attestation': ['verify-attestation'],
};

const rows = (Object.keys(PLACES) as Place[]).flatMap((place) =>
  (Object.keys(TEXTS) as Text[]).flatMap((text) =>
    (['v1', 'v1 again', 'v2'] as const)
      // The older formats need the promise that Rekor v2 does not give.
      .filter((how) => how !== 'v2' || place === 'a bundle')
      .map((how) => ({ place, text, how })),
  ),
);

test.each(rows)('$text in $place, logged in $how, counts as what was signed and nothing else', async (row) => {
  const signed = signText(local, TEXTS[row.text](), { keyed: true });
  const place = await pushed(`attempt-${next++}`);
  await PLACES[row.place](place, signed, row.how);
  const reference = `${here.registry}/${place.repository}@${place.digest}`;
  const key = ['--key', here.file(`key-${next++}.pem`, pemOf(signed)), ...root];
  const counted: string[] = [];
  for (const [command, ...line] of [['verify'], ['verify-attestation', '--type', TYPE]] as const) {
    const { exitCode } = await here.run(command, reference, ...line, ...key);
    if (exitCode === 0) counted.push(command);
    else expect([10, 12], `${command}: exit ${exitCode}`).toContain(exitCode);
  }
  expect(counted).toEqual(GOOD[`${row.place} > ${row.text}`] ?? []);
});
