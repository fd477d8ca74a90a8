import type { Policy } from '@colophon/admission';
import { explainPack, openPack, PackError, type PackHints } from '@colophon/gate';
import { EVIDENCE_PACK_LIMITS } from '@colophon/records';
import { digestOf, loadTrustedRoots } from '@colophon/sigstore';
import type { Command } from 'commander';
import { policyIn, readPolicies } from '../admission-policy/read-policies.ts';
import { digestFlag } from '../artifact-digest/artifact-digest.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { explanationSentence } from '../explanation/explanation-sentence.ts';
import { explanationTable } from '../explanation/explanation-table.ts';
import { isSupported } from '../explanation/supported.ts';
import { SeenHistory } from '../history/seen-history.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readBounded } from '../input/bounded-input.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { type Trust, trustIfKnown } from '../trust/trust.ts';
import type { Judgement, VerifiedPackResult } from './explain-result.ts';
import type { OfflineFlags } from './offline-flags.ts';

type PackFlags = OfflineFlags & { readonly output: OutputFormat };

/** What is trusted, and by whose word. */
type Chosen<T> = T & { readonly by: Judgement };

/**
 * `colophon verify --offline`: what a pack proves. Trusted root and policy come from the reader; with those of the pack it
 * is explained and refused (exit 13), because whoever made it could have made them too.
 */
export async function verifyPack(file: string, flags: PackFlags, command: Command, session: Session): Promise<void> {
  const record = await withFacts({ checked: file }, async (): Promise<VerifiedPackResult> => {
    const pack = openPack(await readBounded(file, EVIDENCE_PACK_LIMITS.maxBytes));
    const trust = await trustFor(pack.hints, flags, command, session);
    return withFacts({ checked: file, trust: trust.file }, async () => {
      const chosen = await policiesFor(pack.hints, flags, command, session);
      // What a pack's own root calls a log is nothing to remember, nor to hold anything against.
      const history = trust.by === 'own' ? new SeenHistory(trust.trust, session) : undefined;
      const { trust: material } = history ?? trust;
      const explanation = await explainPack(pack, { trust: material, policies: chosen.policies });
      await history?.settle();
      const isOwn = trust.by === 'own' && chosen.by === 'own';
      const policy_by = chosen.policies.length === 0 ? ('none' as const) : chosen.by;
      const record = {
        sentence: explanationSentence(explanation, isOwn ? 'own' : 'pack'),
        pack: file,
        trusted_by: trust.by,
        policy_by,
        created_at: pack.createdAt,
        trusted_root: trust.file,
        ...explanation,
      };
      return { ok: exitCodeOf({ ok: true, ...record }) === EXIT.ok, ...record };
    });
  });
  printResult(session.terminal, flags.output, record, (found) => explanationTable(found, session.terminal));
  session.setExitCode(exitCodeOf(record));
}

/** Only the reader's own root and policy can make it 0. */
function exitCodeOf(record: VerifiedPackResult): ExitCode {
  const { trusted_by, policy_by, admission } = record;
  if (trusted_by !== 'own' || policy_by !== 'own' || !isSupported(record)) return EXIT.untrusted;
  return admission?.admitted === true ? EXIT.ok : EXIT.refused;
}

async function trustFor(
  { trustedRoots }: PackHints,
  flags: PackFlags,
  command: Command,
  session: Session,
): Promise<Chosen<Pick<Trust, 'trust' | 'file'>>> {
  const namespace = ownNamespace(session.env, dataFlag(command));
  const digests = trustedRoots.map(({ json }) => digestOf(json));
  const load = (roots: PackHints['trustedRoots'], by: Judgement, file: string) => {
    const sources = roots.map((root) => ({ ...root, insecureIgnoreSct: flags.insecureIgnoreSct }));
    return { by, file, trust: loadTrustedRoots(sources, namespace) };
  };
  const { trustedRootSha256: sha256 } = flags;
  if (sha256 !== undefined) {
    if (flags.trustedRoot !== undefined) {
      throw new CliError('cli.usage', 'a trusted root is given once', {
        expected: '--trusted-root FILE, or --trusted-root-sha256 HEX',
        found: 'both',
      });
    }
    const wanted = digestFlag('--trusted-root-sha256', sha256, ['sha256']);
    const found = trustedRoots.filter(({ json }) => digestOf(json) === wanted);
    // The digest says which root, and nothing of what the pack says beside it.
    if (found.length > 0) return load([{ json: found[0]!.json, name: wanted }], 'own', wanted);
    throw new PackError('pack.root_mismatch', 'no trusted root in the pack has this SHA-256', {
      expected: wanted,
      found: digests.join(', ') || 'none',
    });
  }
  const own = await trustIfKnown(flags, command, session);
  if (own !== undefined) return { ...own, by: 'own' };
  if (trustedRoots.length > 0) return load(trustedRoots, 'pack', `of the pack: ${digests.join(', ')}`);
  throw new CliError('cli.no_trusted_root', 'no trusted root is known, and the pack names none', {
    checked: '--trusted-root, $COLOPHON_TRUSTED_ROOT, $COLOPHON_CONFIG, data folder',
    next: 'colophon verify --offline PACK --trusted-root FILE --policy FILE',
  });
}

async function policiesFor(
  hints: PackHints,
  flags: PackFlags,
  command: Command,
  session: Session,
): Promise<Chosen<{ readonly policies: readonly Policy[] }>> {
  const own = await readPolicies(flags.policy ?? [], command, session);
  if (own.length > 0) return { by: 'own', policies: own.map(({ policy }) => policy) };
  const hinted = hints.policies.map(({ name, content }) => policyIn(name, content, command, session).policy);
  return { by: 'pack', policies: hinted };
}
