import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SpecVersion } from '@colophon/sbom';
import type { Target } from './target.ts';

/** How a program is called for one target. */
export type Call = {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the document is when the program has ended; standard output otherwise. */
  readonly outputFile?: string;
};

/** What the artifact is to be called, and where the program may write. */
export type CallOptions = {
  readonly specVersion: SpecVersion;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Leave out what is for development alone; asked only of a generator that can. */
  readonly omitsDev?: boolean | undefined;
  /** Empty, and removed afterwards. */
  readonly scratch: string;
};

/** A program that others keep well. */
export type Generator = {
  readonly name: string;
  /** How people get it. */
  readonly install: string;
  /** Versions of CycloneDX that it can be asked for, newest first; none: it writes what it writes. */
  readonly specVersions: readonly SpecVersion[];
  /** It can leave out what is for development alone. */
  readonly canOmitDev?: true;
  fits(target: Target): boolean;
  call(target: Target, options: CallOptions): Call;
};

const IMAGE_SOURCES = ['docker', 'podman', 'containerd', 'registry'];
const NPM_LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json'];

/**
 * Every generator, the one that is asked first before others. Each runs in an empty folder, because syft, trivy and
 * cdxgen obey a configuration file that lies where they are started; none goes to the network for a folder.
 */
export const GENERATORS: readonly Generator[] = [
  {
    name: 'cyclonedx-npm',
    install: 'npm install --save-dev @cyclonedx/cyclonedx-npm',
    specVersions: ['1.7', '1.6', '1.5'],
    canOmitDev: true,
    fits: (target) =>
      target.kind === 'folder' &&
      existsSync(join(target.path, 'package.json')) &&
      NPM_LOCKFILES.some((name) => existsSync(join(target.path, name))),
    call: (target, { specVersion, omitsDev }) => {
      const folder = (target as { path: string }).path;
      // Without installed packages npm knows what the lockfile says.
      const isInstalled = existsSync(join(folder, 'node_modules'));
      return {
        args: [
          ...['--spec-version', specVersion, '--output-format', 'JSON', '--output-file', '-'],
          ...(isInstalled ? [] : ['--package-lock-only']),
          ...(omitsDev ? ['--omit', 'dev'] : []),
          ...['--', join(folder, 'package.json')],
        ],
        // What is left out is for the command line to say, not for the shell that it is typed in.
        env: { NODE_ENV: '', npm_config_omit: '', npm_config_offline: 'true', npm_config_update_notifier: 'false' },
      };
    },
  },
  {
    name: 'syft',
    install: 'https://github.com/anchore/syft#installation',
    specVersions: ['1.7', '1.6', '1.5'],
    // A single file it would look into as if it were a folder, and find nothing in most.
    fits: ({ kind }) => kind !== 'file',
    call: (target, { specVersion, name, version }) => ({
      args: [
        ...['scan', '--output', `cyclonedx-json@${specVersion}`],
        ...(target.kind === 'folder' ? ['--base-path', target.path] : []),
        // By itself it would ask further services for the name.
        ...(target.kind === 'image' ? IMAGE_SOURCES.map((source) => `--from=${source}`) : []),
        ...(name === undefined ? [] : [`--source-name=${name}`]),
        ...(version === undefined ? [] : [`--source-version=${version}`]),
        ...['--', syftSource(target as Exclude<Target, { kind: 'file' }>)],
      ],
      env: {
        SYFT_CHECK_FOR_APP_UPDATE: 'false',
        // The manifests of a folder are no components of it, and are named there by their place on this machine.
        ...(target.kind === 'folder' && { SYFT_FILE_METADATA_SELECTION: 'none' }),
      },
    }),
  },
  {
    name: 'trivy',
    install: 'https://trivy.dev/docs/latest/getting-started/installation/',
    specVersions: [],
    fits: ({ kind }) => kind !== 'file',
    call: (target) => ({
      args: [
        ...[target.kind === 'folder' ? 'fs' : 'image', '--quiet', '--format', 'cyclonedx'],
        ...(target.kind === 'image-layout' || target.kind === 'image-archive' ? ['--input', target.path] : []),
        ...(target.kind === 'folder' ? ['--', target.path] : []),
        ...(target.kind === 'image' ? ['--', target.reference] : []),
      ],
      // By environment, because older versions end at a flag that they do not know.
      env: { TRIVY_OFFLINE_SCAN: 'true', TRIVY_SKIP_VERSION_CHECK: 'true', TRIVY_DISABLE_TELEMETRY: 'true' },
    }),
  },
  {
    name: 'cdxgen',
    install: 'npm install --save-dev @cyclonedx/cdxgen',
    specVersions: ['1.7', '1.6', '1.5'],
    fits: ({ kind }) => kind === 'folder',
    call: (target, { specVersion, name, version, scratch }) => {
      const outputFile = join(scratch, 'bom.json');
      return {
        args: [
          // Neither installs nor builds what it finds: that would run a stranger's scripts.
          ...['--no-install-deps', '--lifecycle', 'pre-build', '--spec-version', specVersion],
          ...(name === undefined ? [] : [`--project-name=${name}`]),
          ...(version === undefined ? [] : [`--project-version=${version}`]),
          ...['--output', outputFile, '--', (target as { path: string }).path],
        ],
        env: { CDXGEN_TELEMETRY: 'false' },
        outputFile,
      };
    },
  },
];

function syftSource(target: Exclude<Target, { kind: 'file' }>): string {
  switch (target.kind) {
    case 'folder':
      return `dir:${target.path}`;
    case 'image-layout':
      return `oci-dir:${target.path}`;
    case 'image-archive':
      return `${target.format}-archive:${target.path}`;
    case 'image':
      return target.reference;
  }
}
