import { type Finding, fault, fine } from './finding.ts';

/** Programs that are used beside this one, and the oldest version of each that takes signing configs and bundles. */
const OLDEST: Readonly<Record<string, readonly [major: number, minor: number]>> = { cosign: [3, 0], gitsign: [0, 14] };

/** Whether the other programs of this machine can do their part. @param versions by program: as each says it */
export function probePrograms(versions: Readonly<Record<string, string>>): readonly Finding[] {
  const old = Object.entries(versions).filter(([program, version]) => isOlder(version, OLDEST[program]));
  const findings = old.map(([program, version]) =>
    fault('programs', {
      code: 'doctor.program_outdated',
      message: `${program} on this machine is too old for these services`,
      expected: `${OLDEST[program]?.join('.')} or newer`,
      found: version,
      advice: `install a newer ${program}`,
    }),
  );
  const shown = Object.entries(versions).map(([program, version]) => `${program} ${version}`);
  return findings.length > 0 ? findings : [fine('programs', shown.join(', '))];
}

function isOlder(version: string, oldest: readonly [number, number] | undefined): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (oldest === undefined || major === undefined) return false;
  return Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
}
