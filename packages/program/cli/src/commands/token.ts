import { requestToken } from '@colophon/oidc';
import type { Command } from 'commander';
import { callerCredential } from '../caller-credential/caller-credential.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { withConfiguration } from '../configuration/client-configuration.ts';
import { issuerUrl } from '../home/issuer-url.ts';
import { example } from '../program/example.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { type RunContextFlags, readTokenRequest, withRunContext } from '../run-context/run-context.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';

/** `colophon token`: the run's context goes in, a bare identity token comes out. */
export function defineToken(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon token --agent-name code-writer --agent-version 2.4.1 \\',
      '  --model-id claude-sonnet-4-5-20250929 --prompt prompt.txt \\',
      '  --policy-pack policy.yaml --human-reviewer alice@example.com',
      'colophon token --context context.json',
    ),
  );
  withConfiguration(withRunContext(command))
    .option('--issuer <url>', 'issuer (default: $COLOPHON_ISSUER, else the one of the data folder)', parseServiceUrl)
    .action(async (flags: RunContextFlags & { issuer?: string }, command: Command) => {
      const request = await readTokenRequest(flags, session.env);
      if (request === undefined) {
        throw new CliError('cli.context_invalid', 'nothing was said about the run', {
          expected:
            '--agent-name, --agent-version, --model-id, --prompt, --policy-pack, --human-reviewer (or --context FILE)',
          next: 'colophon token --context FILE',
        });
      }
      const issuer = issuerUrl(session.env, dataFlag(command), flags.issuer);
      const credential = await callerCredential(issuer, session.env, flags.callerCredential);
      const token = await requestToken(issuer, request, { credential });
      session.terminal.stdout.write(session.terminal.stdout.isTTY ? `${token}\n` : token);
    });
}
