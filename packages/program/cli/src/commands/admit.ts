import { existsSync } from 'node:fs';
import { admitImage, admitObjects, fileSequencePins, withBasis } from '@colophon/gate';
import { basisOf, REVIEW_PROFILES, type ReviewProfile } from '@colophon/records';
import { dockerCredentials, RegistryClient } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { readPolicies } from '../admission-policy/read-policies.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { type WideFlag, wideOption } from '../column-table/column-table.ts';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { seenSequencesFolder } from '../home/home.ts';
import { negativesOfStore } from '../home/negatives-of-store.ts';
import { sayResolved } from '../image/image.ts';
import { type FiledObject, readManifests } from '../manifest-file/read-manifests.ts';
import { example } from '../program/example.ts';
import { withNeeds } from '../program/needs.ts';
import { outputOption, type Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { withRoot } from '../signer-words/signer-words.ts';
import { coloursFor, counted, oneLine } from '../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../trust/trust.ts';
import { describeObjects, isOutageAlone } from './admit-objects.ts';
import type { AdmitObjectsResult } from './admit-objects-result.ts';
import type { AdmitResult } from './admit-result.ts';

type AdmitFlags = TrustFlags &
  WideFlag & {
    readonly policy: string[];
    readonly filename?: string[];
    readonly recursive?: boolean;
    readonly profile?: ReviewProfile;
    readonly output: OutputFormat;
  };

/** An image may be named like this, and none is that stands beside as a file. */
const MANIFEST_FILE = /\.(?:json|ya?ml)$/;

type Verdict = AdmitResult['verdicts'][number];
type Signature = Verdict['agent_signatures'][number];

/**
 * `colophon admit`: may this image run, or may these objects be created, and every reason why not (contract §5.3). Exit 20
 * is a refusal.
 */
export function defineAdmit(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon admit --policy admission.yaml localhost:7080/webshop:1.0',
      'helm template --include-crds . | colophon admit --policy admission.yaml -f -',
    ),
  );
  withNeeds(withTrust(command), { what: 'what to decide about', oneOf: ['<image>', '--filename'] })
    .requiredOption(
      '--policy <file>',
      'policy file, or a folder of them; of several, each one that covers the image must admit it',
      everyValue,
    )
    .option(
      '-f, --filename <path>',
      'Kubernetes manifests instead of an image: a file, a folder, or - for standard input; repeatable',
      everyValue,
    )
    .option('-R, --recursive', 'read the folders below those of --filename too')
    .addOption(
      new Option('--profile <profile>', 'spec: contract §5.3 to the letter, instead of what the policy says').choices(
        REVIEW_PROFILES,
      ),
    )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (reference: string | undefined, flags: AdmitFlags, command: Command) => {
      const { filename } = flags;
      if (reference !== undefined && filename !== undefined) {
        throw new CliError('cli.usage', 'an image and --filename are given', {
          expected: 'one of them',
          found: 'both',
        });
      }
      if (reference !== undefined && MANIFEST_FILE.test(reference) && existsSync(reference)) {
        throw new CliError('cli.usage', `${reference} is a file, and an image is asked for`, {
          expected: `--filename ${reference}`,
          found: reference,
        });
      }
      if (filename === undefined && flags.recursive === true) {
        throw new CliError('cli.usage', '--recursive is given without --filename', {
          expected: '--filename FOLDER',
          found: `the image ${reference}`,
        });
      }
      session.setExitCode(
        filename === undefined
          ? await decideImage(reference as string, flags, command, session)
          : await decideManifests(filename, flags, command, session),
      );
    });
}

async function decideImage(
  reference: string,
  flags: AdmitFlags,
  command: Command,
  session: Session,
): Promise<ExitCode> {
  const { options, trustedRoot, settle } = await gateOf(flags, command, session);
  const record = await withFacts({ checked: reference, trust: trustedRoot }, async (): Promise<AdmitResult> => {
    const verdict = await admitImage({
      ...options,
      reference,
      onResolved: (image) => sayResolved(reference, image, session),
    });
    await settle();
    return { ok: verdict.admitted, ...withBasis(verdict), image: reference, trusted_root: trustedRoot };
  });
  printResult(session.terminal, flags.output, record, (result) => describe(result, session));
  return record.admitted ? EXIT.ok : EXIT.refused;
}

async function decideManifests(
  paths: readonly string[],
  flags: AdmitFlags,
  command: Command,
  session: Session,
): Promise<ExitCode> {
  const { objects: filed, foldersNotRead } = await readManifests(paths, flags.recursive === true);
  const { options, trustedRoot, settle } = await gateOf(flags, command, session);
  const record = await withFacts({ checked: paths.join(', '), trust: trustedRoot }, async () => {
    const decided = await admitObjects({
      ...options,
      objects: filed.map(({ object }) => object),
      onResolved: (reference, image) => sayResolved(reference, image, session),
    });
    await settle();
    const admitted = decided.every((one) => one.admitted);
    const objects = decided.map((one, index) => {
      const { file, document } = filed[index] as FiledObject;
      return { file, document, ...one };
    });
    return {
      ok: admitted,
      admitted,
      trusted_root: trustedRoot,
      folders_not_read: [...foldersNotRead],
      objects,
    } satisfies AdmitObjectsResult;
  });
  const view = { terminal: session.terminal, wide: flags.wide };
  printResult(session.terminal, flags.output, record, (result) => describeObjects(result, view));
  if (record.admitted) return EXIT.ok;
  return isOutageAlone(record.objects) ? EXIT.peerDown : EXIT.refused;
}

/** What every decision of a line is made by. */
async function gateOf(flags: AdmitFlags, command: Command, session: Session) {
  const policies = await readPolicies(flags.policy, command, session);
  const { trust, file, files, history } = await trustMaterial(flags, command, session);
  const options = {
    policies: policies.map(({ policy }) => policy),
    profile: flags.profile,
    trust,
    registry: new RegistryClient({ credentials: dockerCredentials(session.env) }),
    defaultNegatives: negativesOfStore(files, command, session),
    pins: fileSequencePins(seenSequencesFolder(session.env)),
    now: new Date(),
  };
  return { options, trustedRoot: file, settle: () => history.settle() };
}

function describe(
  { admitted, image, digest, reasons, warnings, verdicts, trusted_root }: AdmitResult,
  { terminal }: Session,
): string {
  const colours = coloursFor(terminal, terminal.stdout);
  // Several policies that name one signer count the same contradiction.
  const against = new Set(verdicts.flatMap(({ contradictions }) => contradictions.map((one) => JSON.stringify(one))));
  const contradicted = against.size === 0 ? '' : `, ${colours.red(counted(against.size, 'contradiction'))}`;
  const lines = [
    `${admitted ? colours.green('admitted') : colours.red('refused ')}  ${oneLine(image)}${contradicted}`,
    `digest    ${digest ?? 'not asked for: no policy covers the image'}`,
    `trust     ${trusted_root}`,
  ];
  for (const verdict of verdicts) lines.push(...describeVerdict(verdict));
  for (const [kind, list] of [
    ['reason', reasons],
    ['warning', warnings],
  ] as const) {
    for (const { code, message, expected, found, policy } of list) {
      const by = policy === undefined ? '' : ` (${oneLine(policy)})`;
      lines.push(`${kind.padEnd(8)}  ${colours.bold(code)}: ${oneLine(message)}${by}`);
      if (expected !== undefined) lines.push(`          expected ${oneLine(expected)}`);
      if (found !== undefined) lines.push(`          found    ${oneLine(found)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** What met each requirement of a policy, and where rejections were looked for. */
function describeVerdict(verdict: Verdict): string[] {
  const { policy, mode, admitted, agent_signatures, requirements, provenance = [] } = verdict;
  const { rejection_list, withdrawn_rejections } = verdict;
  const lines: string[] = [];
  if (admitted) {
    const subjects = (list: readonly Signature[]) => [
      ...new Set(list.map(({ certificate_identity: { subject, root } }) => withRoot(subject, root))),
    ];
    lines.push(`policy    ${oneLine(policy)}: ${passesBy(verdict, subjects)}`);
    lines.push(...describeClaims(agent_signatures[0]));
    if (provenance.length > 0) lines.push(`          built by ${oneLine(subjects(provenance).join(', '))}`);
    for (const { rule, signatures } of requirements) {
      const [first] = signatures;
      const index = first === undefined ? '' : `, log index ${first.log_entry.log_index}`;
      lines.push(`          required ${oneLine(rule)}: signed by ${oneLine(subjects(signatures).join(', '))}${index}`);
    }
  }
  // A policy that only watches keeps nothing out: what it would have refused for are warnings.
  if (!admitted)
    lines.push(`policy    ${oneLine(policy)}: ${mode === 'audit' ? 'would refuse (mode: audit)' : 'refused'}`);
  // One that is attached and in the list is still one.
  const once = new Set(withdrawn_rejections.map(({ subject, id = '' }) => `rejection ${id} of ${oneLine(subject)}`));
  for (const rejection of once) lines.push(`          withdrawn: ${rejection}`);
  lines.push(`          rejections: ${oneLine(rejectionWords(rejection_list))}`);
  return lines;
}

/** By what an image passes a policy. */
function passesBy(
  { agent_signatures: agents, human_signatures: people = [], reviews, legacy, exception }: Verdict,
  subjects: (list: readonly Signature[]) => readonly string[],
): string {
  if (exception !== undefined) {
    return `an exception until ${exception.until}, by ${oneLine(exception.owner)}: ${oneLine(exception.reason)}`;
  }
  if (legacy !== undefined) return `named by its digest, by ${oneLine(legacy.owner)}: ${oneLine(legacy.reason)}`;
  const signed = `signed by ${oneLine(subjects([...agents, ...people]).join(', '))}`;
  return reviews.length === 0 ? signed : `${signed}; reviewed by ${oneLine(subjects(reviews).join(', '))}`;
}

/** The model and the commit of the agent's certificate, each with who vouches for it. */
function describeClaims(signature: Signature | undefined): string[] {
  return (['model_id', 'commit_sha'] as const).flatMap((claim) => {
    const basis = signature === undefined ? undefined : basisOf(signature.certificate_identity, claim);
    const value = signature?.certificate_identity.claims[claim];
    return basis === undefined || value === undefined ? [] : [`          ${claim} ${oneLine(value)} (${basis.source})`];
  });
}

function rejectionWords(list: Verdict['rejection_list']): string {
  if (list === undefined) return 'registry only';
  if (list.incomplete !== undefined) return `the list at ${list.from} is missing, outdated or not valid`;
  return `registry, and the list of ${list.signed_at} at ${list.from} (sequence ${list.sequence})`;
}
