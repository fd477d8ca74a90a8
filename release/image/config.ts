import { MANIFEST, NAMES } from '../names.ts';
import { NONROOT } from './debian-layer.ts';
import type { Architecture } from './lock.ts';
import { PROGRAM, STATE } from './program-layer.ts';

const SECOND = 1_000_000_000;

/** @see OCI image specification, annotations.md */
export function imageLabels({ created, revision }: { readonly created: Date; readonly revision: string }) {
  const facts = {
    title: NAMES.program,
    description: MANIFEST.description,
    version: MANIFEST.version,
    revision,
    created: timeOf(created),
    licenses: MANIFEST.license,
  };
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`org.opencontainers.image.${name}`, value]));
}

/**
 * What a container is started with. The reviewers' secret has a folder apart from the data, which agents may be given to
 * read.
 * @see OCI image specification, config.md; `Healthcheck` is Docker's
 */
export function imageConfig({
  architecture,
  created,
  labels,
}: {
  readonly architecture: Architecture;
  readonly created: Date;
  readonly labels: Readonly<Record<string, string>>;
}) {
  return {
    created: timeOf(created),
    architecture,
    os: 'linux',
    config: {
      User: `${NONROOT}:${NONROOT}`,
      Env: [
        'PATH=/usr/bin',
        'LANG=C.UTF-8',
        'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
        `HOME=${STATE}`,
        `COLOPHON_HOME=${STATE}/data`,
        `XDG_CONFIG_HOME=${STATE}/config`,
      ],
      Entrypoint: [PROGRAM],
      WorkingDir: STATE,
      Volumes: { [STATE]: {} },
      Labels: labels,
      Healthcheck: {
        Test: ['CMD', PROGRAM, 'health'],
        Interval: 30 * SECOND,
        Timeout: 10 * SECOND,
        StartPeriod: 10 * SECOND,
        Retries: 3,
      },
    },
  };
}

function timeOf(time: Date): string {
  return time.toISOString().replace('.000', '');
}
