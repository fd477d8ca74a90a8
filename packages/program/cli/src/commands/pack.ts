import { basename } from 'node:path';
import { createPack } from '@colophon/gate';
import { formatInstant } from '@colophon/notation';
import type { ReviewProfile } from '@colophon/records';
import { digestOf } from '@colophon/sigstore';
import type { Command } from 'commander';
import { readPolicies } from '../admission-policy/read-policies.ts';
import { withFacts } from '../cli-error/cli-error.ts';
import { widthOf } from '../column-table/column-table.ts';
import { wrapLine, wrapTable } from '../column-table/wrapped-lines.ts';
import { explainedImage } from '../explanation/explained-image.ts';
import { explanationSentence } from '../explanation/explanation-sentence.ts';
import { assertWritableFile, writeOutput } from '../input/input.ts';
import { example } from '../program/example.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { oneLine, shellWord, type Terminal } from '../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../trust/trust.ts';
import { assertSomething, withPolicies } from './explain.ts';
import type { PackResult } from './explain-result.ts';

type PackFlags = TrustFlags & {
  readonly out: string;
  readonly policy?: string[];
  readonly profile?: ReviewProfile;
  readonly output: OutputFormat;
};

/** `colophon pack`: everything that explains an image, in one file that verifies without a network. */
export function definePack(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example('colophon pack localhost:7080/webshop:1.0 \\', '  --policy admission.yaml --out webshop.pack.json'),
  );
  withTrust(withPolicies(command))
    .requiredOption('--out <file>', 'the pack')
    .addOption(outputOption())
    .action(async (reference: string, flags: PackFlags, command: Command) => {
      assertWritableFile(flags.out);
      const files = await readPolicies(flags.policy ?? [], command, session);
      const trust = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: reference, trust: trust.file }, async (): Promise<PackResult> => {
        const by = { policies: files.map(({ policy }) => policy), profile: flags.profile, trust };
        const { material, gatheredAt, explanation } = await explainedImage(reference, by, command, session);
        assertSomething(reference, explanation);
        await trust.history.settle();
        // One alone is for every issuer, and has no name that says more than its digest.
        const isOne = trust.sources.length === 1;
        const trustedRoots = trust.sources.map(({ json, name, issuers }) => {
          const bytes = typeof json === 'string' ? Buffer.from(json) : json;
          return isOne ? { json: bytes } : { json: bytes, name, issuers };
        });
        const hinted = files.map(({ name, content }) => ({ name: basename(name), content }));
        const created_at = formatInstant(gatheredAt.getTime());
        const bytes = createPack(material, { trustedRoots, policies: hinted }, created_at);
        writeOutput(flags.out, bytes);
        const { subject, admission } = explanation;
        return {
          ok: true,
          image: reference,
          digest: subject.digest,
          pack: flags.out,
          pack_digest: digestOf(bytes),
          created_at,
          sentence: explanationSentence(explanation, 'own'),
          trusted_root: trust.file,
          ...(admission === undefined ? {} : { admission }),
        };
      });
      printResult(session.terminal, flags.output, record, (written) => describe(written, session.terminal));
    });
}

function describe({ pack, pack_digest, sentence }: PackResult, terminal: Terminal): string {
  const next = `colophon verify --offline ${shellWord(pack)} --trusted-root FILE --policy FILE`;
  const rows = [
    ['packed', pack],
    ['digest', pack_digest],
    ['next', next],
  ];
  const width = widthOf({ terminal });
  return `${wrapLine(oneLine(sentence), width, '')}\n\n${wrapTable(rows, width)}`;
}
