import type { Command } from 'commander';
import { example } from '../program/example.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import type { HashResult } from '../run-context/hash-result.ts';
import { hashPolicyPackFiles, hashPromptFile, hashPromptMessagesFile } from '../run-context/run-context.ts';

/** `colophon hash prompt|policy`: the two hashes of contract §2.1, over raw bytes, before the run. */
export function defineHash(hash: Command, { terminal }: Session): void {
  const print = (format: OutputFormat, hash: string) =>
    printResult(terminal, format, { ok: true, hash } satisfies HashResult, (result) => `${result.hash}\n`);
  hash
    .command('prompt <file>')
    .description('SHA-256 of the exact bytes of the prompt (- for standard input), or of its messages')
    .addHelpText('after', example('colophon hash prompt prompt.txt', 'colophon hash prompt --messages messages.json'))
    .option('--messages', 'the file is JSON with all messages: their canonical form is hashed (RFC 8785)')
    .addOption(outputOption())
    .action(async (file: string, { messages, output }: { messages?: boolean; output: OutputFormat }) =>
      print(output, await (messages ? hashPromptMessagesFile : hashPromptFile)(file)),
    );
  hash
    .command('policy <file...>')
    .description('SHA-256 of the policy file, or of a sorted list of the hashes of several')
    .addHelpText(
      'after',
      example('colophon hash policy policy.yaml', 'colophon hash policy policies/review.yaml policies/licences.yaml'),
    )
    .addOption(outputOption())
    .action(async (files: string[], { output }: { output: OutputFormat }) =>
      print(output, await hashPolicyPackFiles(files)),
    );
}
