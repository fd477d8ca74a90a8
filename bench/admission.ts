// Decisions about images, and a real `colophon admission serve` that reviews Pods over TLS for another process, beside the least
// that node:https can do. `--requests N` a round (20,000), `--rounds N` (3), `--connections N` (16), `--images N` (20); `--memory`
// also has 100,000 Pods reviewed, of images of 20,000 names, and looks at growth.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { decideAdmission } from '@colophon/admission';
import { admissionInput } from './admission/image-evidence.ts';
import type { LoadOrders, LoadResult } from './admission/load.ts';
import { type AskedWebhook, ScratchCluster } from './admission/scratch-cluster.ts';
import { measure, median } from './measure/measure.ts';
import { doing, roundOf } from './measure/progress.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    images: { type: 'string', default: '20' },
    memory: { type: 'boolean', default: false },
  },
  strict: false,
});
const [requests, rounds, connections] = [values.requests, values.rounds, values.connections].map(Number) as [
  number,
  number,
  number,
];

/** What is wanted, at most. */
const DECISION_MICROS = 200;
const REVIEW_MICROS = 500;
const P99_MS = 25;
const COLD_MS = 2500;

/** Sixteen decisions at once of which nothing is remembered, on a machine that has other things to do. */
const MEMORY_TIMEOUT_SECONDS = 20;

/** Rejections of other images in the list that a decision looks at. */
const LISTED = [0, 100, 10_000];

/** Decisions from evidence that is at hand. */
async function benchDecisions() {
  const rows = [];
  for (const rejected of LISTED) {
    const input = admissionInput(rejected);
    if (!decideAdmission(input).admitted) throw new Error('the image of the bench is refused');
    const times = Array(rejected > 1000 ? 200 : 3000).fill(input);
    const samples = [];
    // The first round does not count.
    for (let round = 0; round <= 5; round += 1) samples.push((await measure(times, decideAdmission)).cpuMicros);
    const cpuMicros = median(samples.slice(1));
    rows.push({
      rejected,
      'CPU µs': Math.round(cpuMicros),
      wanted: DECISION_MICROS,
      reached: cpuMicros <= DECISION_MICROS,
    });
  }
  console.log(
    'One decision in process: nine signatures, a policy with every key, by rejections of other images in its list',
  );
  console.table(rows);
}

type Round = LoadResult & { readonly cpuMicros: number };

const shown = (number: number) => Number(number.toFixed(number < 10 ? 2 : 0));

/** Reviews of Pods whose images are remembered. */
async function benchReviews(floor: AskedWebhook, webhook: AskedWebhook, images: readonly string[]) {
  const contenders: ReadonlyArray<readonly [string, AskedWebhook, LoadOrders['path']]> = [
    ['floor', floor, '/validate'],
    ['validate', webhook, '/validate'],
    ['mutate', webhook, '/mutate'],
  ];
  const samples = new Map<string, Round[]>(contenders.map(([name]) => [name, []]));
  // The first round does not count: code is compiled by then.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, asked, path] of contenders) {
      doing(`${roundOf(round, rounds)}: ${name}`);
      const result = await asked.loadWithCpu({ path, requests, connections, images });
      if (round > 0) samples.get(name)!.push(result);
    }
  }
  const middle = (name: string, of: (round: Round) => number) => median(samples.get(name)!.map(of));
  console.log(
    `CPU of the webhook's process per review, median of ${rounds} rounds of ${requests}, as fast as ${connections} connections ask`,
  );
  console.table(
    contenders.map(([name]) => {
      const cpuMicros = middle(name, (round) => round.cpuMicros);
      const overFloor = median(
        samples.get(name)!.map((round, at) => round.cpuMicros / samples.get('floor')![at]!.cpuMicros),
      );
      return {
        review: name,
        'CPU µs': Math.round(cpuMicros),
        '× floor': shown(overFloor),
        'a second': Math.round(middle(name, (round) => round.perSecond)),
        'median ms': shown(middle(name, (round) => round.medianMs)),
        'p99 ms': shown(middle(name, (round) => round.p99Ms)),
        ...(name === 'floor' ? {} : { wanted: REVIEW_MICROS, reached: cpuMicros <= REVIEW_MICROS }),
      };
    }),
  );
  await benchHalf(floor, webhook, { images, rate: middle('validate', (round) => round.perSecond) / 2 });
}

/** How long answers take at half of the highest load. */
async function benchHalf(
  floor: AskedWebhook,
  webhook: AskedWebhook,
  { images, rate }: { readonly images: readonly string[]; readonly rate: number },
) {
  const contenders = Object.entries({ floor, validate: webhook });
  const samples = new Map<string, Round[]>(contenders.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, asked] of contenders) {
      doing(`half of the load, round ${round + 1} of ${rounds}: ${name}`);
      samples.get(name)!.push(await asked.loadWithCpu({ path: '/validate', requests, connections, images, rate }));
    }
  }
  console.log(`Half of that, ${Math.round(rate)} reviews a second that come whether earlier ones are answered or not`);
  console.table(
    contenders.map(([name]) => {
      const middle = (of: (round: Round) => number) => median(samples.get(name)!.map(of));
      const p99Ms = middle((round) => round.p99Ms);
      return {
        review: name,
        'median ms': shown(middle((round) => round.medianMs)),
        'p99 ms': shown(p99Ms),
        'least p99 ms': shown(Math.min(...samples.get(name)!.map((round) => round.p99Ms))),
        'worst ms': shown(middle((round) => round.worstMs)),
        'CPU µs': Math.round(middle((round) => round.cpuMicros)),
        ...(name === 'floor' ? {} : { wanted: P99_MS, reached: p99Ms < P99_MS }),
      };
    }),
  );
}

/** Growth over many names, of which twice as many are asked for as are remembered. */
async function benchMemory(webhook: AskedWebhook, images: readonly string[]) {
  const tags = 20_000 / images.length;
  const megabytes = [];
  for (let reviewed = 0; reviewed <= 100_000; reviewed += 20_000) {
    const orders = { path: '/validate', requests: 20_000, connections, images, tags, seed: reviewed } as const;
    if (reviewed > 0) await webhook.load(orders);
    megabytes.push(Math.round(webhook.residentBytes / 2 ** 20));
  }
  console.log(`resident MiB at every 20,000 reviews of 20,000 names: ${megabytes.join(', ')}`);
}

process.setMaxListeners(0);
console.log(`Node.js ${process.versions.node}, load average ${loadavg()[0]!.toFixed(1)}`);
await benchDecisions();
const cluster = await ScratchCluster.open(Number(values.images));
try {
  const { images } = cluster;
  const webhook = await cluster.startWebhook();
  const floor = await cluster.startFloor();
  const cold = await webhook.load({ path: '/validate', requests: images.length, connections: 1, images });
  console.log(
    'Nothing remembered: the image is fetched from its registry and verified, one after the other in a new process',
  );
  console.table([
    {
      images: images.length,
      'median ms': shown(cold.medianMs),
      'worst ms': shown(cold.worstMs),
      wanted: COLD_MS,
      reached: cold.worstMs < COLD_MS,
    },
  ]);
  await benchReviews(floor, webhook, images);
  if (values.memory) await benchMemory(await cluster.startWebhook(MEMORY_TIMEOUT_SECONDS), images);
  console.log(`load average ${loadavg()[0]!.toFixed(1)}`);
} finally {
  await cluster.close();
}
