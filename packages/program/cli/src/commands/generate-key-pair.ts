import { existsSync, rmSync } from 'node:fs';
import { createFileDurably, systemReason } from '@colophon/durable-file';
import { generateSealedKey } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { assertWritableFile, unwritable } from '../input/input.ts';
import { askPassword } from '../password/password.ts';
import { example } from '../program/example.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import type { GenerateKeyPairResult } from './generate-key-pair-result.ts';

type Flags = { readonly outputKeyPrefix: string; readonly output: OutputFormat };

/** `colophon generate-key-pair`: a new key on P-256, in the two files that cosign writes and reads. */
export function defineGenerateKeyPair(command: Command, session: Session): void {
  command.addHelpText('after', example('COSIGN_PASSWORD=correct-horse colophon generate-key-pair'));
  command
    .option('--output-key-prefix <name>', 'the files are NAME.key and NAME.pub', 'cosign')
    .addOption(outputOption())
    .action(async ({ outputKeyPrefix, output }: Flags) => {
      const [privateFile, publicFile] = [`${outputKeyPrefix}.key`, `${outputKeyPrefix}.pub`];
      for (const file of [privateFile, publicFile]) {
        if (existsSync(file)) throw taken(file);
        assertWritableFile(file);
      }
      const { privateKey, publicKey, keyHint } = generateSealedKey(await newPassword(session));
      create(privateFile, privateKey, 0o600);
      try {
        create(publicFile, publicKey, 0o644);
      } catch (error) {
        // Half a pair would be in the way of the next attempt.
        rmSync(privateFile, { force: true });
        throw error;
      }
      const result: GenerateKeyPairResult = {
        ok: true,
        private_key: privateFile,
        public_key: publicFile,
        key_hint: keyHint,
      };
      printResult(
        session.terminal,
        output,
        result,
        () => `Private key written to ${privateFile}\nPublic key written to ${publicFile}\n`,
      );
    });
}

/** As cosign: also an empty one, where somebody says so. */
async function newPassword(session: Session): Promise<string> {
  const known = session.env['COSIGN_PASSWORD'];
  if (known !== undefined) return known;
  const typed = await askPassword('Enter password for private key: ', session);
  if (typed === undefined) {
    throw new CliError('cli.no_password', 'nothing says which password the private key gets', {
      checked: '$COSIGN_PASSWORD, and no terminal to ask at',
      expected: 'COSIGN_PASSWORD in the environment; an empty one for a key without password',
    });
  }
  const again = await askPassword('Enter password for private key again: ', session);
  if (typed === again) return typed;
  throw new CliError('cli.no_password', 'the two passwords are not the same', { expected: 'one password, twice' });
}

function create(file: string, content: string, mode: number): void {
  let isNew: boolean;
  try {
    isNew = createFileDurably(file, content, mode);
  } catch (cause) {
    throw unwritable(file, systemReason(cause), cause);
  }
  if (!isNew) throw taken(file);
}

function taken(file: string): CliError {
  return new CliError('cli.file_taken', `${file} is there already, and would be lost`, {
    checked: file,
    expected: 'a name that is free: a key that is overwritten signs nothing any more',
    next: 'colophon generate-key-pair --output-key-prefix NAME',
  });
}
