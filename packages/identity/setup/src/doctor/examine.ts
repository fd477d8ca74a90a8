import type { CredentialSource } from '@colophon/sigstore';
import type { Examined } from './examined.ts';
import { type Finding, PROBES } from './finding.ts';
import { probeAuthority } from './probe-authority.ts';
import { probeClock } from './probe-clock.ts';
import { probeIssuer } from './probe-issuer.ts';
import { probeLog } from './probe-log.ts';
import { probePrograms } from './probe-programs.ts';
import { probeRegistry } from './probe-registry.ts';
import { probeRoots } from './probe-roots.ts';
import { probeSignature } from './probe-signature.ts';
import { probeTimestamps } from './probe-timestamps.ts';
import { Questions } from './questions.ts';

/** What is looked at beside the services themselves. */
export type ExamineOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly now: () => number;
  /** What each program of this machine says of its version. */
  readonly programs: Readonly<Record<string, string>>;
  /** A registry's name, and whose credentials to use. */
  readonly registry?: { readonly name: string; readonly credentials: CredentialSource } | undefined;
  /** Of the signer of a probe, which is logged; without it nothing is signed. */
  readonly identityToken?: ((keyThumbprint: string) => Promise<string>) | undefined;
};

/**
 * Looks at services and at the files that clients know them by, and says what is wrong with the file to change. Nothing
 * is written and no token is asked for, unless `identityToken` is given: then a probe is signed and logged.
 * @returns findings in the order of {@link PROBES}
 */
export async function examine(examined: Examined, options: ExamineOptions): Promise<readonly Finding[]> {
  const { fetch, now, programs, registry, identityToken } = options;
  const questions = new Questions({ fetch, now });
  const findings = (
    await Promise.all([
      probeRoots(examined, new Date(now())),
      probeIssuer(examined.issuerUrl, questions),
      probeAuthority(examined, questions),
      probeLog(examined, questions),
      probeTimestamps(examined, questions, fetch),
      registry === undefined
        ? notTried('registry', 'none is named: --registry NAME')
        : probeRegistry(registry.name, registry.credentials, fetch),
      probePrograms(programs),
      identityToken === undefined
        ? notTried('signature', 'nothing was signed: --sign, which logs an entry')
        : probeSignature(examined, identityToken, fetch),
    ])
  ).flat();
  return [...findings, ...probeClock(questions.clocks)].sort(
    (one, other) => PROBES.indexOf(one.probe) - PROBES.indexOf(other.probe),
  );
}

function notTried(probe: Finding['probe'], message: string): readonly Finding[] {
  return [{ probe, state: 'not-tried', message }];
}
