import { Counter, Gauge, type Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

/** Seconds: what is at hand costs a fraction of a millisecond, a slow disk or a distant peer costs seconds. */
export const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The numbers that every server has: what is ready, which version runs, and its process under Prometheus' own names. The
 * library's collectors would watch every garbage collection, too.
 * @param version of the program
 */
export function addServerNumbers(registry: Registry, readiness: Readiness, version: string): void {
  const registers = [registry];
  new Gauge({
    name: 'colophon_ready',
    help: '1 for each readiness check that is green, else 0.',
    labelNames: ['check'],
    registers,
    collect() {
      this.reset();
      for (const { name, ok } of readiness.report()) this.set({ check: name }, ok ? 1 : 0);
    },
  });
  new Gauge({
    name: 'colophon_build_info',
    help: 'The version of the program.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({ name: 'process_start_time_seconds', help: 'Since the epoch.', registers }).set(
    Math.round(performance.timeOrigin / 1000),
  );
}

/** A number that is read whenever somebody asks. What cannot be read now is left out, and leaves the others alone. */
export function addReadNumber(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  value: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    name: `colophon_${name}`,
    help,
    registers: [registry],
    async collect() {
      const read = await Promise.resolve()
        .then(value)
        .catch(() => undefined);
      if (read === undefined) this.remove();
      else this.set(read);
    },
  });
}
