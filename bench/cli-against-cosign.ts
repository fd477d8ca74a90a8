// `sign-blob` and `verify-blob` of the shipped forms beside cosign's, each a whole process, against the same services: the
// embedded ones of `colophon up`, and a real Fulcio and Rekor v2 with a timestamp authority where they are. The clock's time is
// what people wait for; CPU is measured beside it. Rounds alternate, with a token that was minted before. `--rounds=N` (15).
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Installation, SIX_FIELDS, startColophon } from '../interop/colophon-up.ts';
import { findProgram } from '../interop/programs.ts';
import {
  type ClientFiles,
  makeCa,
  startFulcio,
  startOpensslAuthority,
  startRekorTiles,
  writeClientFiles,
} from '../interop/sigstore-servers.ts';
import { median } from './measure/measure.ts';
import { timesOfProcess } from './measure/process-cpu.ts';
import { doing, roundOf } from './measure/progress.ts';
import { buildShippedForms } from './measure/shipped-forms.ts';

const COSIGN = 'cosign';
const SERVERS = ['fulcio', 'rekor-tiles', 'openssl'];

type Times = Awaited<ReturnType<typeof timesOfProcess>>;
type Installed = {
  readonly up: Installation;
  readonly services: Readonly<Record<string, ClientFiles>>;
  stop(): Promise<void>;
};

/** Starts the services, and answers with the files that lead clients to them. */
async function startServices(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0)) await end();
  };
  const started = async <Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    // The installation is started first and ends last: it removes the folder.
    stops.unshift(() => server.stop());
    return server;
  };
  try {
    const isWhole = SERVERS.every((name) => findProgram(name) !== undefined);
    if (isWhole) await makeCa(folder);
    const up = await started(startColophon({ folder, args: isWhole ? ['--ct-root', join(folder, 'root.pem')] : [] }));
    const embedded = {
      signingConfig: join(up.trust, 'signing_config.json'),
      trustedRoot: join(up.trust, 'trusted_root.json'),
    };
    if (!isWhole) {
      console.log(`Fulcio and Rekor v2 are left out: of ${SERVERS.join(', ')} something is missing`);
      return { up, services: { embedded }, stop };
    }
    // The timestamp authority of OpenSSL needs no port that somebody else may have.
    const timestamps = await started(startOpensslAuthority('P-256'));
    const log = await started(startRekorTiles(folder));
    const fulcio = await started(startFulcio(up));
    const theirs = await writeClientFiles(up, { fulcio, log, timestamps }, 'v2');
    return { up, services: { embedded, 'Fulcio, Rekor v2': theirs }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function mint(issuer: string): Promise<string> {
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SIX_FIELDS),
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  return answer.text();
}

/** What each program needed, of each command, in turns; the first round does not count, since compiled code is kept. */
async function timesOf(
  { up }: Pick<Installed, 'up'>,
  { signingConfig, trustedRoot }: ClientFiles,
  programs: readonly (readonly [name: string, command: readonly string[]])[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Times[]>> {
  const file = join(up.folder, 'app');
  writeFileSync(file, 'what an agent made');
  const trust = ['--trusted-root', trustedRoot];
  const who = ['--certificate-identity', `agent:${SIX_FIELDS.agent_name}`, '--certificate-oidc-issuer', up.issuer];
  const times = new Map<string, Times[]>();
  for (let round = 0; round <= rounds; round += 1) {
    doing(roundOf(round, rounds));
    for (const [name, command] of programs) {
      const bundle = join(up.folder, `${name.replace(' ', '-')}-${round}-${trustedRoot.length}.json`);
      const env = { ...up.env, SIGSTORE_ID_TOKEN: await mint(up.issuer) };
      const config = ['--yes', '--signing-config', signingConfig];
      const lines = {
        'sign-blob': [...config, ...trust, '--bundle', bundle, file],
        'verify-blob': [...trust, ...who, '--bundle', bundle, file],
      };
      for (const [verb, line] of Object.entries(lines)) {
        const needed = await timesOfProcess([...command, verb, ...line], env);
        const key = `${verb} ${name}`;
        if (round > 0) times.set(key, [...(times.get(key) ?? []), needed]);
      }
    }
  }
  return times;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } }, strict: false });
  const rounds = Number(values.rounds);
  const cosign = findProgram(COSIGN);
  if (cosign === undefined) throw new Error('cosign is not on PATH, and there is nothing to compare with');
  doing('the forms are built');
  const { npm, executable } = await buildShippedForms();
  const programs = [
    [COSIGN, [cosign]],
    ['npm program', npm],
    ['executable', executable],
  ] as const;
  const installed = await startServices();
  try {
    const rows = [];
    for (const [where, files] of Object.entries(installed.services)) {
      const times = await timesOf(installed, files, programs, rounds);
      for (const verb of ['sign-blob', 'verify-blob']) {
        const middle = (name: string, pick: keyof Times) =>
          median(times.get(`${verb} ${name}`)!.map((sample) => sample[pick]));
        for (const [name] of programs) {
          const [wallMs, cpuMs] = [middle(name, 'wallMs'), middle(name, 'cpuMs')];
          rows.push({
            services: where,
            command: `${name} ${verb}`,
            ms: Math.round(wallMs),
            '× cosign': Number((wallMs / middle(COSIGN, 'wallMs')).toFixed(2)),
            'CPU ms': Math.round(cpuMs),
            'CPU × cosign': Number((cpuMs / middle(COSIGN, 'cpuMs')).toFixed(2)),
          });
        }
      }
    }
    console.table(rows);
  } finally {
    await installed.stop();
  }
}
