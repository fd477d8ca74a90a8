// A process of its own that leases jobs in the database of its first argument, once it is told to begin.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { JobStore, openSqlDatabase } from '../src/index.ts';

const [address = '', mode = ''] = process.argv.slice(2);
const say = (line: string | number) => writeSync(1, `${line}\n`);
const ask = (jobs: JobStore, i: number) => jobs.lease({ owner: `${process.pid}-${i}`, now: 2000, leaseSeconds: 60 });

if (mode === 'open') {
  say('ready');
  await once(process.stdin, 'data');
  await JobStore.open(await openSqlDatabase(address));
  say('open');
} else {
  const jobs = await JobStore.open(await openSqlDatabase(address));
  say('ready');
  await once(process.stdin, 'data');
  const leases = await Promise.all(Array.from({ length: mode === 'race' ? 10 : 1 }, (_, i) => ask(jobs, i)));
  const won = leases.filter((lease) => lease !== undefined).length;
  say(mode === 'race' ? won : 'holds');
}
// Until it is killed.
setInterval(() => {}, 1000);
