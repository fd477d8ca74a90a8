// CPU per token of our program as its users run it, `up` and `serve`, beside the least that Fastify can do and beside
// npm's oidc-provider. `--tokens N` a round (4,000), `--rounds N` (5), `--warm N` before the first (24,000),
// `--connections N,…` (16,64), `--only TEXT` measures the contenders whose name has it, and the floor; `--memory` also
// mints 100,000 and looks at growth.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from './measure/measure.ts';
import { doing } from './measure/progress.ts';
import { type Algorithm, Contender, type ServerKind } from './mint/contender.ts';

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    warm: { type: 'string', default: '24000' },
    connections: { type: 'string', default: '16,64' },
    only: { type: 'string', default: '' },
    memory: { type: 'boolean', default: false },
  },
  strict: false,
});
const tokens = Number(values.tokens);
const rounds = Number(values.rounds);
const connectionCounts = String(values.connections).split(',').map(Number);

/** CPU over the floor's of the same algorithm, at most. */
type Goal = { readonly [alg in Algorithm]?: number };
const KEY_GOAL: Goal = { ES256: 1.6, RS256: 1.2 };
const GOALS: Readonly<Record<ServerKind, Goal | undefined>> = {
  floor: undefined,
  up: KEY_GOAL,
  'serve, API key': KEY_GOAL,
  'serve, 10,000 callers': KEY_GOAL,
  'serve, caller token': { ES256: 3.5 },
  'serve, token once': undefined,
  'oidc-provider': undefined,
};
const ALGORITHMS: readonly Algorithm[] = ['ES256', 'RS256'];

process.setMaxListeners(0);
const contenders: Contender[] = [];
for (const alg of ALGORITHMS) {
  for (const kind of Object.keys(GOALS) as ServerKind[]) {
    const name = `${alg} ${kind}`;
    // What a token once and many callers cost has nothing to do with how ours are signed.
    if (alg === 'RS256' && (kind === 'serve, token once' || kind === 'serve, 10,000 callers')) continue;
    if (kind !== 'floor' && !name.includes(String(values.only))) continue;
    doing(`${name} starts`);
    contenders.push(await Contender.start(kind, alg));
  }
}
for (const contender of contenders) {
  doing(`${contender.alg} ${contender.kind} warms up`);
  await contender.load(Number(values.warm), 64);
}

const samples = new Map<string, number[]>();
const keyOf = ({ kind, alg }: Pick<Contender, 'kind' | 'alg'>, connections: number) => `${kind} ${alg} ${connections}`;
// Interleaved, so that a busy neighbour disturbs all alike; the ratio is taken within a round.
for (let round = 0; round < rounds; round += 1) {
  for (const connections of connectionCounts) {
    for (const contender of contenders) {
      const key = keyOf(contender, connections);
      doing(`round ${round + 1} of ${rounds}: ${contender.alg} ${contender.kind}, ${connections} connections`);
      samples.set(key, [...(samples.get(key) ?? []), await contender.cpuMicrosPerToken(tokens, connections)]);
    }
  }
}

console.log(`CPU per token of the server's process, median of ${rounds} rounds of ${tokens} tokens`);
console.log(`Node.js ${process.versions.node}, load average ${loadavg()[0]!.toFixed(1)}`);
console.table(
  contenders.flatMap(({ kind, alg }) =>
    connectionCounts.map((connections) => {
      const sample = samples.get(keyOf({ kind, alg }, connections))!;
      const floor = samples.get(keyOf({ kind: 'floor', alg }, connections))!;
      const overFloor = median(sample.map((micros, round) => micros / floor[round]!));
      const goal = GOALS[kind]?.[alg];
      return {
        alg,
        server: kind,
        connections,
        'CPU µs': Number(median(sample).toFixed(1)),
        '× floor': Number(overFloor.toFixed(2)),
        ...(goal === undefined ? {} : { goal, reached: overFloor <= goal }),
      };
    }),
  ),
);

if (values.memory) {
  for (const contender of contenders.filter(({ kind }) => kind !== 'floor' && kind !== 'oidc-provider')) {
    const megabytes = [];
    for (let minted = 0; minted <= 100_000; minted += 20_000) {
      if (minted > 0) await contender.load(20_000, 64);
      megabytes.push(Math.round(contender.residentBytes / 2 ** 20));
    }
    console.log(`${contender.alg} ${contender.kind}: resident MiB at every 20,000 tokens: ${megabytes.join(', ')}`);
  }
}
await Promise.all(contenders.map((contender) => contender.stop()));
