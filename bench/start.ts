// Short commands of the shipped forms, each a whole process from its start to its end, beside Node.js that does nothing and
// cosign, in the same run. The forms are built first. `--rounds N` (11).
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ISSUER } from './authority/scratch-authority.ts';
import { signBundles } from './bundles/signed-bundles.ts';
import { median } from './measure/measure.ts';
import { findProgram, type ProcessUse, useOfProcess } from './measure/process-cpu.ts';
import { doing } from './measure/progress.ts';
import { makeScratchFolder } from './measure/scratch-folder.ts';
import { buildShippedForms, type ShippedForms } from './measure/shipped-forms.ts';

const MEBIBYTE = 2 ** 20;

/** CPU and resident memory, at most. */
type Limit = { readonly cpuMs: number; readonly MiB?: number };
type Line = { readonly name: string; readonly command: readonly string[]; readonly limit?: Limit };

const TINY_BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'left-pad', version: '1.3.0' }],
};

/** Writes what the commands read, and answers with the commands. */
async function linesIn(folder: string, { npm, executable }: ShippedForms): Promise<readonly Line[]> {
  const fileOf = (name: string, content: string | Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const bom = fileOf('bom.json', JSON.stringify(TINY_BOM));
  const { blobs, trustedRoot } = await signBundles(1);
  const { artifact, bundle } = blobs[0]!;
  const trust = ['--trusted-root', fileOf('trusted_root.json', trustedRoot)];
  const who = ['--certificate-identity-regexp', '^agent:.*', '--certificate-oidc-issuer', ISSUER];
  const signed = ['--bundle', fileOf('app.sigstore.json', bundle), fileOf('app', artifact)];
  const verifyBlob = ['verify-blob', ...trust, ...who, ...signed];

  const cosign = findProgram('cosign');
  return [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    { name: 'npm program --version', command: [...npm, '--version'], limit: { cpuMs: 100, MiB: 65 } },
    { name: 'npm program sbom validate', command: [...npm, 'sbom', 'validate', bom], limit: { cpuMs: 250 } },
    { name: 'npm program verify-blob', command: [...npm, ...verifyBlob], limit: { cpuMs: 200 } },
    { name: 'executable --version', command: [...executable, '--version'], limit: { cpuMs: 150, MiB: 110 } },
    { name: 'executable sbom validate', command: [...executable, 'sbom', 'validate', bom] },
    { name: 'executable verify-blob', command: [...executable, ...verifyBlob] },
    ...(cosign === undefined
      ? []
      : [
          { name: 'cosign version', command: [cosign, 'version'] },
          { name: 'cosign verify-blob', command: [cosign, ...verifyBlob] },
        ]),
  ];
}

/** Each command so often, in turns. */
function usesOf(lines: readonly Line[], rounds: number, folder: string): ReadonlyMap<Line, readonly ProcessUse[]> {
  // The first run does not count: the npm program keeps what it compiled. It must end well.
  for (const { command } of lines) execFileSync(command[0]!, command.slice(1), { stdio: 'pipe' });
  const uses = new Map<Line, ProcessUse[]>(lines.map((line) => [line, []]));
  for (let round = 0; round < rounds; round += 1) {
    doing(`round ${round + 1} of ${rounds}`);
    for (const [line, samples] of uses) samples.push(useOfProcess(line.command, join(folder, 'memory')));
  }
  return uses;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } }, strict: false });
  doing('the forms are built');
  const forms = await buildShippedForms();
  const folder = makeScratchFolder('start');
  try {
    const lines = await linesIn(folder, forms);
    if (findProgram('cosign') === undefined) console.log('cosign is left out: it is not on PATH');
    if (findProgram('time') === undefined) console.log('memory is left out: GNU time is not on PATH');
    const uses = usesOf(lines, Number(values.rounds), folder);
    const nothingMs = median(uses.get(lines[0]!)!.map(({ cpuMs }) => cpuMs));
    console.table(
      [...uses].map(([{ name, limit }, samples]) => {
        const cpus = samples.map(({ cpuMs }) => cpuMs);
        const cpuMs = median(cpus);
        const MiB = Math.ceil(median(samples.map(({ memoryBytes = Number.NaN }) => memoryBytes)) / MEBIBYTE);
        return {
          command: name,
          'CPU ms': Math.round(cpuMs),
          least: Math.round(Math.min(...cpus)),
          '× node -e 0': Number((cpuMs / nothingMs).toFixed(1)),
          MiB,
          ...(limit && { wanted: `${limit.cpuMs} ms${limit.MiB === undefined ? '' : `, ${limit.MiB} MiB`}` }),
          // Memory that was not measured is not beyond its limit.
          ...(limit && { reached: cpuMs <= limit.cpuMs && !(limit.MiB !== undefined && MiB > limit.MiB) }),
        };
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
