// The embedded authority in process: certificates, and entries of the transparency log, all durable, beside what
// `openssl speed` needs for the same signatures. `--count N` a round (640), `--rounds N` (5), `--at-once N` (64).
import { parseArgs } from 'node:util';
import { makeSigner, PROPOSAL_KINDS, propose } from './authority/proposal.ts';
import { openScratchAuthority } from './authority/scratch-authority.ts';
import { measure, median, type Sample } from './measure/measure.ts';
import { speedOfOpenssl } from './measure/openssl-speed.ts';
import { doing, roundOf } from './measure/progress.ts';

/**
 * Signatures on P-256 that each work cannot do without. A certificate: token and proof of possession are verified;
 * precertificate, timestamp and certificate are signed. An entry: its signature is verified, its promise is signed.
 * The heads of the trees are shared by all that is added in one turn.
 */
const SIGNATURES = {
  certificate: { verified: 2, signed: 3 },
  hashedrekord: { verified: 1, signed: 1 },
  dsse: { verified: 1, signed: 1 },
} as const;

type Work = keyof typeof SIGNATURES;
const WORKS = Object.keys(SIGNATURES) as Work[];

/** Measures in interleaved rounds, after one round that does not count. */
export async function benchAuthority({ count, rounds, atOnce }: { count: number; rounds: number; atOnce: number }) {
  const scratch = await openScratchAuthority();
  try {
    const { authority, preparePurchase } = scratch;
    const signer = await makeSigner(scratch);
    const purchases = await Promise.all(Array.from({ length: count }, preparePurchase));
    const samples: Record<Work, Sample[]> = { certificate: [], hashedrekord: [], dsse: [] };
    for (let round = 0; round <= rounds; round += 1) {
      doing(roundOf(round, rounds));
      const buy = ({ token, proof }: (typeof purchases)[number]) => authority.issueCertificate(token, proof);
      const measured = { certificate: await measure(purchases, buy, atOnce) } as Record<Work, Sample>;
      for (const kind of PROPOSAL_KINDS) {
        const proposals = Array.from({ length: count }, (_, i) => propose(kind, `artifact ${round}.${i}`, signer));
        measured[kind] = await measure(proposals, (proposal) => authority.addLogEntry(proposal), atOnce);
      }
      if (round > 0) for (const work of WORKS) samples[work].push(measured[work]);
    }
    return samples;
  } finally {
    await scratch.close();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '640' },
      rounds: { type: 'string', default: '5' },
      'at-once': { type: 'string', default: '64' },
    },
    strict: false,
  });
  const [count, rounds, atOnce] = [Number(values.count), Number(values.rounds), Number(values['at-once'])];
  const openssl = speedOfOpenssl();
  const samples = await benchAuthority({ count, rounds, atOnce });
  console.log(`In process, on disk before the answer, ${atOnce} at once, median of ${rounds} rounds of ${count}`);
  if (openssl !== undefined) {
    const [signs, verifies] = [1e6 / openssl.signMicros, 1e6 / openssl.verifyMicros].map(Math.round);
    console.log(`openssl speed ecdsap256: ${signs} sign/s, ${verifies} verify/s`);
  }
  console.table(
    WORKS.map((work) => {
      const { verified, signed } = SIGNATURES[work];
      const cpuMicros = median(samples[work].map((sample) => sample.cpuMicros));
      const row = {
        work,
        'a second': Math.round(median(samples[work].map(({ perSecond }) => perSecond))),
        'CPU µs': Math.round(cpuMicros),
      };
      if (openssl === undefined) return row;
      const floor = verified * openssl.verifyMicros + signed * openssl.signMicros;
      return { ...row, 'openssl µs': Math.round(floor), '× openssl': Number((cpuMicros / floor).toFixed(1)) };
    }),
  );
}
