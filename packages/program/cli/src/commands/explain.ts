import type { EvidenceExplanation } from '@colophon/gate';
import { REVIEW_PROFILES, type ReviewProfile } from '@colophon/records';
import { hashFile } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { readPolicies } from '../admission-policy/read-policies.ts';
import { digestFlag, isMeantAsDigest } from '../artifact-digest/artifact-digest.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { explainedArtifact } from '../explanation/explained-artifact.ts';
import { explainedImage } from '../explanation/explained-image.ts';
import { explanationSentence } from '../explanation/explanation-sentence.ts';
import { explanationTable } from '../explanation/explanation-table.ts';
import { isSupported } from '../explanation/supported.ts';
import { EVIDENCE_URL_HELP } from '../home/evidence-url.ts';
import { knownIssuerUrl } from '../home/issuer-url.ts';
import { assertReadableFile } from '../input/input.ts';
import { example } from '../program/example.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';
import { type Trust, type TrustFlags, trustMaterial, withTrust } from '../trust/trust.ts';
import type { ExplainResult } from './explain-result.ts';
import { isFileName } from './review/word-target.ts';

type ExplainFlags = TrustFlags & {
  readonly policy?: string[];
  readonly profile?: ReviewProfile;
  readonly evidenceUrl?: string;
  readonly rekorUrl?: string;
  readonly output: OutputFormat;
};

/** `colophon explain`: one sentence about an image, a file or a digest, and every link behind it. */
export function defineExplain(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon explain localhost:7080/webshop:1.0 --policy admission.yaml'));
  withTrust(withPolicies(command))
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .option('--rekor-url <url>', 'transparency log (default: of the data folder)', parseServiceUrl)
    .addOption(outputOption())
    .action(async (artifact: string, flags: ExplainFlags, command: Command) => {
      const trust = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: artifact, trust: trust.file }, async () => {
        const explained = await explain(artifact, trust, flags, command, session);
        await trust.history.settle();
        return explained;
      });
      printResult(session.terminal, flags.output, record, (found) => explanationTable(found, session.terminal));
      session.setExitCode(exitCodeOf(record));
    });
}

/** Adds the flags that say which policies decide. */
export function withPolicies(command: Command): Command {
  return command
    .option(
      '--policy <file>',
      'policy file to decide by, or a folder of them; of several, each one that covers the image must admit it',
      everyValue,
    )
    .addOption(
      new Option('--profile <profile>', 'spec: contract §5.3 to the letter, instead of what the policy says').choices(
        REVIEW_PROFILES,
      ),
    );
}

/** 13 where nothing verifies, 20 where the policy refuses. */
function exitCodeOf(record: ExplainResult) {
  const { admission } = record;
  if (!isSupported(record)) return EXIT.untrusted;
  return admission?.admitted === false ? EXIT.refused : EXIT.ok;
}

async function explain(
  artifact: string,
  trust: Trust,
  flags: ExplainFlags,
  command: Command,
  session: Session,
): Promise<ExplainResult> {
  if (flags.policy === undefined) refuseUnused(flags, ['profile'], 'a profile is how a policy is read', command);
  const isDigest = isMeantAsDigest(artifact) && !artifact.includes('@');
  const isFile = !isDigest && isFileName(artifact);
  const explanation =
    isDigest || isFile
      ? await ofArtifact(artifact, isDigest, trust, flags, command, session)
      : await ofImage(artifact, trust, flags, command, session);
  assertSomething(artifact, explanation);
  const sentence = explanationSentence(explanation, 'own');
  const record = { sentence, trusted_root: trust.file, ...explanation };
  return { ok: exitCodeOf({ ok: true, ...record }) === EXIT.ok, ...record };
}

async function ofImage(
  reference: string,
  trust: Trust,
  flags: ExplainFlags,
  command: Command,
  session: Session,
): Promise<EvidenceExplanation> {
  refuseUnused(flags, ['evidenceUrl', 'rekorUrl'], 'an image is explained by what is attached to it', command);
  const files = await readPolicies(flags.policy ?? [], command, session);
  const policies = files.map(({ policy }) => policy);
  const by = { policies, profile: flags.profile, trust };
  return (await explainedImage(reference, by, command, session)).explanation;
}

async function ofArtifact(
  name: string,
  isDigest: boolean,
  trust: Trust,
  flags: ExplainFlags,
  command: Command,
  session: Session,
): Promise<EvidenceExplanation> {
  refuseUnused(flags, ['policy', 'profile'], 'a policy decides about images', command);
  if (!isDigest) assertReadableFile(name);
  const artifact = isDigest
    ? { sha256: digestFlag('<artifact>', name, ['sha256']).slice('sha256:'.length) }
    : await hashFile(name);
  const server = knownIssuerUrl(session.env, dataFlag(command));
  const asked = {
    kind: isDigest ? ('digest' as const) : ('file' as const),
    name,
    artifact,
    trust,
    evidenceUrl: flags.evidenceUrl ?? server,
    rekorUrl: flags.rekorUrl ?? server,
  };
  return explainedArtifact(asked, command, session);
}

/** A flag that would change nothing is not accepted. */
function refuseUnused(
  flags: ExplainFlags,
  names: readonly (keyof ExplainFlags)[],
  why: string,
  command: Command,
): void {
  const given = names.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return;
  const longs = command.options.filter((option) => given.some((name) => name === option.attributeName()));
  throw new CliError('cli.usage', `${why}, so ${longs.map(({ long }) => long).join(', ')} cannot apply`, {
    expected: command.usage(),
  });
}

/**
 * Holds where something was found, whether or not it verifies. Where a place was not reached, nothing is said to be
 * missing.
 * @throws CliError `cli.nothing_to_explain`, exit 10, or 3 where a place was not reached
 */
export function assertSomething(artifact: string, explanation: EvidenceExplanation): void {
  const { signatures, log_entries: logged, unverified, unread, rejections, places } = explanation;
  if ([signatures, logged, unverified, unread, rejections].some((list) => list.length > 0)) return;
  const isComplete = places.every(({ state }) => state !== 'incomplete');
  const issues = places.map(({ place, state, address, detail }) => ({
    code: 'cli.nothing_to_explain',
    message: [`${place}: ${state}`, address, detail].filter((part) => part !== undefined).join(', '),
  }));
  if (isComplete) {
    throw new CliError('cli.nothing_to_explain', 'no signature was found', { checked: artifact, issues });
  }
  const message = 'no signature was found, and not every place could be asked';
  throw new CliError('cli.nothing_to_explain', message, { checked: artifact, issues, kind: 'peer' });
}
