// Bundles of each kind verified in process, as our verifier does it for the command line and for admission, beside the
// CPU of one P-256 verification by node:crypto in the same run. `--count=N` bundles of each kind (100), `--rounds=N` (5).
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { parseArgs } from 'node:util';
import { verifyBundle } from '@colophon/sigstore';
import { type BundleKind, digestsOf } from './bundles/bundle-kind.ts';
import { localKinds } from './bundles/local-kinds.ts';
import { publicKinds } from './bundles/public-kinds.ts';
import { type SignedArtifact, signBundles } from './bundles/signed-bundles.ts';
import { measure, median } from './measure/measure.ts';
import { doing, roundOf } from './measure/progress.ts';

/** Verifications a second a core, at least. */
const MIN_PER_SECOND = 500;

/** What a client of the embedded authority has: Rekor v1, promise and proof, a certificate with the timestamp of its CT log. */
async function embeddedKinds(count: number): Promise<readonly BundleKind[]> {
  const { blobs, statements, verifier } = await signBundles(count);
  const kind = (name: string, bundles: readonly SignedArtifact[], isAtHand = false) => ({
    name,
    verifications: bundles.map(({ artifact, bundle }) => {
      const given = isAtHand ? artifact : digestsOf(artifact);
      return () => verifyBundle({ bundle, artifact: given, ...verifier });
    }),
  });
  return [
    kind('file, bytes at hand', blobs, true),
    kind('file, digest alone', blobs),
    kind('statement (DSSE)', statements),
  ];
}

/** The yardstick: the least that one signature costs a program on Node.js. */
function rawVerifications(count: number): BundleKind {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const message = Buffer.from('message');
  const signature = sign('sha256', message, privateKey);
  return {
    name: 'one P-256 verification',
    verifications: Array(count).fill(() => verify('sha256', message, publicKey, signature)),
  };
}

/** How often each bundle is verified in a round, so that a round has its share of collected garbage. */
const TIMES_A_ROUND = 3;

/**
 * CPU µs of one verification: of each kind, one number a round, after one round that does not count. Each round begins
 * with another kind: the garbage of all of them would else be collected in the time of the same one.
 */
export async function benchBundles(kinds: readonly BundleKind[], rounds: number) {
  const samples = new Map<BundleKind, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round <= rounds; round += 1) {
    doing(roundOf(round, rounds));
    const first = Math.floor((kinds.length * round) / (rounds + 1));
    for (const kind of [...kinds.slice(first), ...kinds.slice(0, first)]) {
      const verifications = Array.from({ length: TIMES_A_ROUND }, () => kind.verifications).flat();
      const { cpuMicros } = await measure(verifications, (verification) => verification());
      if (round > 0) samples.get(kind)!.push(cpuMicros);
    }
  }
  return samples;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '100' }, rounds: { type: 'string', default: '5' } },
    strict: false,
  });
  const [count, rounds] = [Number(values.count), Number(values.rounds)];
  const raw = rawVerifications(count * 10);
  const kinds = [...(await embeddedKinds(count)), ...(await localKinds(count)), ...publicKinds(count)];
  const samples = await benchBundles([raw, ...kinds], rounds);
  const rawMicros = median(samples.get(raw)!);
  console.log(
    `One verification in process, median of ${rounds} rounds of ${count}; at least ${MIN_PER_SECOND}/s wanted`,
  );
  console.table(
    [raw, ...kinds].map((kind) => {
      const cpuMicros = median(samples.get(kind)!);
      const perSecond = 1e6 / cpuMicros;
      return {
        bundle: kind.name,
        'a second a core': Math.round(perSecond),
        'CPU µs': Math.round(cpuMicros),
        'P-256 verifications': Number((cpuMicros / rawMicros).toFixed(1)),
        reached: perSecond >= MIN_PER_SECOND,
      };
    }),
  );
}
