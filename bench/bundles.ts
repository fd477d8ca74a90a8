// Bundles verified in process, as our verifier does it for the command line and for admission, beside what
// `openssl speed` needs for the same signatures. `--count N` bundles of each kind (100), `--rounds N` (5).
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Artifact, verifyBundle } from '@colophon/sigstore';
import { type SignedArtifact, signBundles, type Verifier } from './bundles/signed-bundles.ts';
import { measure, median } from './measure/measure.ts';
import { speedOfOpenssl } from './measure/openssl-speed.ts';

/** Verifications a second a core, at least. */
const MIN_PER_SECOND = 500;
/** Signatures in each bundle: artifact or envelope, certificate, its timestamp, promise and checkpoint of the log. */
const SIGNATURES = 5;

type Work = {
  readonly name: string;
  readonly bundles: readonly SignedArtifact[];
  readonly artifactOf: (signed: SignedArtifact) => Artifact;
};

/** CPU µs of one verification: of each work, one number a round, after one round that does not count. */
export async function benchBundles(works: readonly Work[], verifier: Verifier, rounds: number) {
  const samples = new Map<Work, number[]>(works.map((work) => [work, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const work of works) {
      const verify = (signed: SignedArtifact) =>
        verifyBundle({ bundle: signed.bundle, artifact: work.artifactOf(signed), ...verifier });
      const { cpuMicros } = await measure(work.bundles, verify);
      if (round > 0) samples.get(work)!.push(cpuMicros);
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
  const openssl = speedOfOpenssl();
  const { blobs, statements, verifier } = await signBundles(count);
  const hashed = ({ artifact }: SignedArtifact) => ({ sha256: createHash('sha256').update(artifact).digest('hex') });
  const works: Work[] = [
    { name: 'blob, bytes at hand', bundles: blobs, artifactOf: ({ artifact }) => artifact },
    { name: 'blob, digest only', bundles: blobs, artifactOf: hashed },
    { name: 'statement (DSSE)', bundles: statements, artifactOf: hashed },
  ];
  const samples = await benchBundles(works, verifier, rounds);
  console.log(
    `One verification in process, median of ${rounds} rounds of ${count}; at least ${MIN_PER_SECOND}/s wanted`,
  );
  console.table(
    works.map((work) => {
      const cpuMicros = median(samples.get(work)!);
      const perSecond = 1e6 / cpuMicros;
      return {
        bundle: work.name,
        'a second a core': Math.round(perSecond),
        'CPU µs': Math.round(cpuMicros),
        ...(openssl && { '× openssl': Number((cpuMicros / (SIGNATURES * openssl.verifyMicros)).toFixed(1)) }),
        reached: perSecond >= MIN_PER_SECOND,
      };
    }),
  );
}
