// CPU per token: ours with the durable ledger on, beside the least that Fastify can do and beside npm's oidc-provider.
// `--tokens N` a round (4,000), `--rounds N` (5), `--connections N` (64), `--memory` also mints 100,000 and looks at growth.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median } from './measure/measure.ts';
import { type Algorithm, Contender, type ServerKind } from './mint/contender.ts';

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    memory: { type: 'boolean', default: false },
  },
  strict: false,
});
const tokens = Number(values.tokens);
const rounds = Number(values.rounds);

const KINDS: readonly ServerKind[] = ['floor', 'colophon', 'oidc-provider'];
const ALGORITHMS: readonly Algorithm[] = ['ES256', 'RS256'];
/** Our CPU over the floor's, at most; oidc-provider's over ours, at least. */
const MAX_OVER_FLOOR = { ES256: 1.6, RS256: 1.2 };
const MIN_AHEAD_OF_PROVIDER = { ES256: 3, RS256: 1 };

async function load({ port, kind }: Contender, count: number): Promise<void> {
  const script = fileURLToPath(import.meta.resolve('./mint/load.ts'));
  await promisify(execFile)(process.execPath, [script, String(port), kind, String(count), String(values.connections)]);
}

async function cpuMicrosPerToken(contender: Contender, count: number): Promise<number> {
  const before = await contender.cpuMicros();
  await load(contender, count);
  const after = await contender.cpuMicros();
  return (after - before) / count;
}

const contenders = ALGORITHMS.flatMap((alg) => KINDS.map((kind) => new Contender(kind, alg)));
await Promise.all(contenders.map((contender) => contender.ready()));
const samples = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
for (const contender of contenders) await load(contender, tokens);
// Interleaved, so that a busy neighbour disturbs all alike; the ratio is taken within a round.
for (let round = 0; round < rounds; round += 1) {
  for (const contender of contenders) samples.get(contender)!.push(await cpuMicrosPerToken(contender, tokens));
}

const of = (kind: ServerKind, alg: Algorithm) =>
  samples.get(contenders.find((contender) => contender.kind === kind && contender.alg === alg)!)!;
const ratio = (above: number[], below: number[]) => median(above.map((sample, round) => sample / below[round]!));

console.log(`CPU per token of the server's process, median of ${rounds} rounds of ${tokens} tokens`);
console.table(
  ALGORITHMS.flatMap((alg) =>
    KINDS.map((kind) => ({
      server: kind,
      alg,
      'CPU µs': Number(median(of(kind, alg)).toFixed(1)),
      '× floor': Number(ratio(of(kind, alg), of('floor', alg)).toFixed(2)),
      '× ours': Number(ratio(of(kind, alg), of('colophon', alg)).toFixed(2)),
    })),
  ),
);
console.table(
  ALGORITHMS.flatMap((alg) => {
    const overFloor = ratio(of('colophon', alg), of('floor', alg));
    const ahead = ratio(of('oidc-provider', alg), of('colophon', alg));
    return [
      {
        target: `${alg}: ours ≤ ${MAX_OVER_FLOOR[alg]} × floor`,
        measured: Number(overFloor.toFixed(2)),
        reached: overFloor <= MAX_OVER_FLOOR[alg],
      },
      {
        target: `${alg}: oidc-provider ≥ ${MIN_AHEAD_OF_PROVIDER[alg]} × ours`,
        measured: Number(ahead.toFixed(2)),
        reached: ahead >= MIN_AHEAD_OF_PROVIDER[alg],
      },
    ];
  }),
);

if (values.memory) {
  const ours = contenders.find(({ kind, alg }) => kind === 'colophon' && alg === 'ES256')!;
  const rows = [];
  for (let minted = 0; minted <= 100_000; minted += 20_000) {
    if (minted > 0) await load(ours, 20_000);
    const { rssBytes, heapBytes } = await ours.memory();
    rows.push({
      tokens: minted,
      'RSS MiB': Math.round(rssBytes / 2 ** 20),
      'heap MiB': Math.round(heapBytes / 2 ** 20),
    });
  }
  console.log('Memory of our server while it mints (ES256)');
  console.table(rows);
}
await Promise.all(contenders.map((contender) => contender.stop()));
