import { fetchPublication, openSource } from '@colophon/publishing';
import { parsePublicationName } from '@colophon/publishing/publication-rules';
import { readBundleClaim } from '@colophon/sigstore';
import type { Command } from 'commander';
import { assertBundleFile } from '../../bundle-file/bundle-file.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { assertWritableFile, writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { oneLine } from '../../terminal/terminal.ts';
import { type InclusionProofFlags, withInclusionProof } from '../../verification-flags/inclusion-proof.ts';
import {
  identityNeeds,
  type VerificationFlags,
  withVerification,
} from '../../verification-flags/verification-flags.ts';
import { withDetails } from '../verifying.ts';
import { publicationVerifier } from './published-signature.ts';
import {
  announce,
  describeFetched,
  PLACE_HELP,
  type PlaceFlags,
  placeOf,
  placeOptions,
  withPlace,
} from './publishing-place.ts';
import type { SbomFetchResult } from './publishing-results.ts';

/** An SBOM is fetched from wherever it is. */
const ANYBODYS = { isAnybodys: true };

type FetchFlags = VerificationFlags &
  InclusionProofFlags &
  PlaceFlags & {
    readonly from?: string;
    readonly key?: string;
    readonly out?: string;
    readonly bundleOut?: string;
    readonly details?: boolean;
    readonly output: OutputFormat;
  };

/** `colophon sbom fetch`: finds a published SBOM and hands it out once its signature verified (contract §4.2, §5.2). */
export function defineFetch(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom fetch shop@1.0.0 --out shop.cdx.json \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  command
    .option('--from <place>', PLACE_HELP)
    .option('--key <file>', 'public key, for a signature that was made with a key')
    .option('--out <file>', 'where the document goes (default: standard output, except with --output json)')
    .option('--bundle-out <file>', 'where the bundle of its signature goes');
  withNeeds(withPlace(withDetails(withInclusionProof(withVerification(command))), ANYBODYS), ...identityNeeds('--key'))
    .addOption(outputOption())
    .action(async (text: string, flags: FetchFlags, command: Command) => {
      const wanted = parsePublicationName(text);
      const out = flags.out === '-' ? undefined : flags.out;
      if (out !== undefined) assertWritableFile(out);
      const checkSigner =
        flags.bundleOut === undefined
          ? undefined
          : assertBundleFile(flags.bundleOut, 'artifact', '--bundle-out FILE, or move the other one away');
      const verify = await publicationVerifier(flags, command, session);
      const source = await openSource(
        placeOf(flags.from, command, session),
        await placeOptions(flags, session, ANYBODYS),
      );
      announce(session, `fetching from ${oneLine(source.place)}`);
      const fetched = await fetchPublication(source, wanted);
      const verified = await verify(fetched);
      const { artifact, version, digest, bundle, document } = fetched;
      if (flags.bundleOut !== undefined && bundle === undefined) {
        throw new CliError('cli.usage', 'what is published has no bundle', { checked: '--bundle-out' });
      }
      if (bundle !== undefined) checkSigner?.(readBundleClaim(bundle).signer);
      const content = Buffer.from(document).toString();
      if (out !== undefined) writeOutput(out, content);
      if (flags.bundleOut !== undefined) writeOutput(flags.bundleOut, Buffer.from(bundle as Uint8Array).toString());
      const record: SbomFetchResult = {
        ...verified,
        artifact,
        version,
        place: source.place,
        digest,
        ...(out === undefined ? {} : { out }),
        ...(flags.bundleOut === undefined ? {} : { bundle: flags.bundleOut }),
      };
      if (flags.output === 'json' || out !== undefined) {
        printResult(session.terminal, flags.output, record, (shown) => describeFetched(shown, flags));
        return;
      }
      session.terminal.stderr.write(describeFetched(record, flags));
      session.terminal.stdout.write(content);
    });
}
