import type { PinnedRoot } from '@colophon/sigstore';
import { type Examined, rootsOf, rootsWithFiles } from './examined.ts';
import { type Finding, fault, fine } from './finding.ts';

/** Whether everything that is pinned is in force. A log or authority that ended stands there for what it signed before. */
export function probeRoots(examined: Examined, now: Date): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { root, file } of rootsWithFiles(examined)) {
    const { certificateAuthorities } = root.library;
    const advice = 'colophon init … --replace, or add the new certificates and keys beside the old ones';
    if (certificateAuthorities.length > 0 && !certificateAuthorities.some((one) => isInForce(one, now))) {
      findings.push(
        fault('roots', {
          code: 'doctor.root_expired',
          refusal: 'certificate.untrusted',
          message: 'no certificate authority of this trusted root is in force',
          found: `until ${new Date(Math.max(...certificateAuthorities.map(endOf))).toISOString()}`,
          file,
          advice,
        }),
      );
    }
    if (root.logs.length > 0 && !root.logs.some(({ validFrom, validUntil }) => validFrom <= now && now <= validUntil)) {
      findings.push(
        fault('roots', {
          code: 'doctor.root_expired',
          refusal: 'log_entry.untrusted_log',
          message: 'no transparency log of this trusted root is in force',
          file,
          advice,
        }),
      );
    }
  }
  return findings.length > 0 ? findings : [fine('roots', `in force: ${rootsOf(examined)}`)];
}

type Authority = PinnedRoot['library']['certificateAuthorities'][number];

function isInForce({ certChain, validFor }: Authority, now: Date): boolean {
  return validFor.start <= now && now <= validFor.end && certChain.every((one) => one.validForDate(now));
}

/** When the first part of it ends. */
function endOf({ certChain, validFor }: Authority): number {
  return Math.min(validFor.end.getTime(), ...certChain.map(({ notAfter }) => notAfter.getTime()));
}
