import { dataPaths } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { dataFolder } from '../home/home.ts';
import { startedInstallation } from '../home/started-installation.ts';
import { example } from '../program/example.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { shellWord } from '../terminal/terminal.ts';
import type { EnvResult } from './env-result.ts';

/** `colophon env`: shell lines that point colophon, cosign and gitsign at the services of the data folder. */
export function defineEnv(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('eval "$(colophon env)"'));
  command.addOption(outputOption()).action(({ output }: { output: OutputFormat }, command: Command) => {
    const data = dataFlag(command);
    const dataDir = dataFolder(env, data);
    const installation = startedInstallation(dataDir, data);
    const { issuer_url: url, predicate_base: predicateBase, claim_arc: claimArc } = installation;
    const paths = dataPaths(dataDir);
    const variables = {
      COLOPHON_HOME: dataDir,
      COLOPHON_ISSUER: url,
      COLOPHON_TRUSTED_ROOT: paths.trustedRoot,
      COLOPHON_SIGNING_CONFIG: paths.signingConfig,
      ...(predicateBase !== undefined && { COLOPHON_PREDICATE_BASE: predicateBase }),
      ...(claimArc !== undefined && { COLOPHON_CLAIM_ARC: claimArc }),
      // cosign without a trusted root, and policy-controller's tester
      SIGSTORE_ROOT_FILE: paths.fulcioChain,
      SIGSTORE_REKOR_PUBLIC_KEY: paths.rekorPublicKey,
      SIGSTORE_CT_LOG_PUBLIC_KEY_FILE: paths.ctPublicKey,
      GITSIGN_FULCIO_URL: url,
      GITSIGN_FULCIO_ROOT: paths.fulcioChain,
      GITSIGN_REKOR_URL: url,
      GITSIGN_OIDC_ISSUER: url,
      REKOR_REKOR_SERVER: url,
    };
    printResult(terminal, output, { ok: true, variables } satisfies EnvResult, (result) =>
      Object.entries(result.variables)
        .map(([name, value]) => `export ${name}=${shellWord(value)}\n`)
        .join(''),
    );
  });
}
