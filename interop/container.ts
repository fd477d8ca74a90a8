import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, run } from './programs.ts';

type Descriptor = { readonly digest: string; readonly platform?: { readonly architecture: string } };
type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
};
/** What one container has and another lacks. */
type Differences = {
  readonly readOnlyData?: boolean;
  readonly sharedMemory?: boolean;
  /**
   * As the systemd unit has it: the only system calls that it may make (each other one fails with EPERM), and of /proc
   * nothing but processes.
   */
  readonly systemCalls?: readonly string[];
};

/** An image of this machine's architecture, unpacked; `data` is on this machine what its volume is in each container. */
export type UnpackedImage = { readonly root: string; readonly config: ImageConfig; readonly data: string };

/** Unpacks an OCI layout into a folder, as a runtime does. */
export function unpackImage(layout: string, folder: string): UnpackedImage {
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'));
  const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const [top] = json(join(layout, 'index.json')).manifests as [Descriptor];
  const images = json(blob(top.digest)).manifests as Descriptor[];
  const here = images.find(({ platform }) => platform?.architecture === (process.arch === 'x64' ? 'amd64' : 'arm64'));
  const manifest = json(blob(here?.digest ?? ''));
  const root = join(folder, 'root');
  const data = join(folder, 'data');
  mkdirSync(root);
  mkdirSync(data, { mode: 0o700 });
  for (const { digest } of manifest.layers as Descriptor[]) {
    execFileSync('tar', ['--extract', '--gzip', '--preserve-permissions', '--directory', root, '--file', blob(digest)]);
  }
  const { config } = json(blob(manifest.config.digest)) as { config: ImageConfig };
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  chownSync(data, uid, gid);
  return { root, config, data };
}

/** One container by runc: no root, no capability, nothing writable but /tmp and the volume, a network of its own. */
export class Container {
  readonly #folder: string;
  readonly #state: readonly string[];
  readonly #name: string;

  constructor(image: UnpackedImage, folder: string, name: string, args: readonly string[], differences?: Differences) {
    this.#folder = join(folder, name);
    this.#state = ['--root', join(folder, 'runc')];
    this.#name = name;
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, 'config.json'), JSON.stringify(runtimeConfig(image, args, differences)));
  }

  /** Runs it to its end. */
  run(): Promise<Outcome> {
    return run('runc', [...this.#state, 'run', '--bundle', this.#folder, this.#name]);
  }

  /** Runs it until it is told to end. */
  start(): ChildProcess {
    return spawn('runc', [...this.#state, 'run', '--bundle', this.#folder, this.#name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Runs a program in it, as a health check does. */
  exec(args: readonly string[]): Promise<Outcome> {
    return run('runc', [...this.#state, 'exec', this.#name, ...args]);
  }
}

/** @see OCI runtime specification, config.md */
function runtimeConfig(
  { root, config, data }: UnpackedImage,
  args: readonly string[],
  { readOnlyData = false, sharedMemory = true, systemCalls }: Differences = {},
): object {
  const [uid, gid] = config.User.split(':').map(Number);
  const none: string[] = [];
  const temporary = (destination: string, ...options: string[]) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'nodev', ...options],
  });
  const volumes = Object.keys(config.Volumes).map((destination) => ({
    destination,
    type: 'bind',
    source: data,
    options: ['rbind', 'nosuid', 'nodev', readOnlyData ? 'ro' : 'rw'],
  }));
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...args],
      env: config.Env,
      cwd: config.WorkingDir,
      capabilities: { bounding: none, effective: none, permitted: none, inheritable: none, ambient: none },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    hostname: 'container',
    mounts: [
      {
        destination: '/proc',
        type: 'proc',
        source: 'proc',
        options: [
          'nosuid',
          'nodev',
          'noexec',
          ...(systemCalls === undefined ? [] : ['subset=pid', 'hidepid=invisible']),
        ],
      },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      ...(sharedMemory ? [temporary('/dev/shm', 'mode=1777')] : []),
      temporary('/tmp', 'mode=1777', 'size=64m'),
      ...volumes,
    ],
    linux: {
      namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      ...(systemCalls === undefined
        ? {}
        : {
            seccomp: {
              defaultAction: 'SCMP_ACT_ERRNO',
              architectures: ['SCMP_ARCH_X86_64'],
              syscalls: [{ names: systemCalls, action: 'SCMP_ACT_ALLOW' }],
            },
          }),
    },
  };
}
