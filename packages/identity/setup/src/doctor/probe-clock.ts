import { type Finding, fault, fine } from './finding.ts';
import { SERVICES, type SeenClock } from './questions.ts';

/** Tokens and certificates live for minutes, and verifiers accept this much. */
export const MOST_CLOCK_SECONDS = 30;

/** Whether all clocks agree, and which one does not: ours, where most services say so together. */
export function probeClock(clocks: readonly SeenClock[]): readonly Finding[] {
  if (clocks.length === 0) return [{ probe: 'clock', state: 'not-tried', message: 'no service told its time' }];
  const byService = Map.groupBy(clocks, ({ service }) => service);
  // Not in the order of the answers, which differs from one time to the next.
  const off = SERVICES.flatMap((service) => {
    const seen = byService.get(service);
    return seen === undefined ? [] : [{ service, offSeconds: median(seen.map((one) => one.offSeconds)) }];
  });
  const usual = median(off.map(({ offSeconds }) => offSeconds));
  // One service alone cannot say whose clock it is.
  const isOurs = off.length > 1 && Math.abs(usual) > MOST_CLOCK_SECONDS;
  const wrong = off.filter(({ offSeconds }) => Math.abs(offSeconds - (isOurs ? usual : 0)) > MOST_CLOCK_SECONDS);
  const findings = wrong.map(({ service, offSeconds }) =>
    fault('clock', {
      code: 'doctor.clock_differs',
      refusal: 'timestamp.outside_certificate',
      message: `the clock of the ${service} and that of ${off.length > 1 ? 'the others' : 'this machine'} differ`,
      expected: `at most ${MOST_CLOCK_SECONDS} s`,
      found: `${Math.round(Math.abs(offSeconds - (isOurs ? usual : 0)))} s`,
      advice: off.length > 1 ? `set the clock of the ${service}` : 'set both clocks, e.g. by NTP',
    }),
  );
  if (isOurs) {
    findings.unshift(
      fault('clock', {
        code: 'doctor.clock_differs',
        refusal: 'certificate.expired',
        message: 'the clock of this machine differs from those of the services',
        expected: `at most ${MOST_CLOCK_SECONDS} s`,
        found: `${Math.round(Math.abs(usual))} s ${usual > 0 ? 'behind' : 'ahead'}`,
        advice: 'set the clock of this machine, e.g. by NTP',
      }),
    );
  }
  return findings.length > 0
    ? findings
    : [fine('clock', `agrees with ${off.map(({ service }) => service).join(', ')}`)];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
