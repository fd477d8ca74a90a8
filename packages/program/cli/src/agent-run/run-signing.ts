import { basename } from 'node:path';
import { storeReceipt } from '@colophon/evidence/client';
import type { JsonObject } from '@colophon/json';
import { agentRunType, createStatement, isSubstituted, mainModel, type Statement } from '@colophon/records';
import { assertRunAgrees, hashFile, signatureIn, signBlob, signStatement } from '@colophon/sigstore';
import type { Command } from 'commander';
import { assertBundleFile, attestationBeside, bundleBeside } from '../bundle-file/bundle-file.ts';
import { CliError } from '../cli-error/cli-error.ts';
import type { Signed } from '../commands/signed-result.ts';
import { describeSigned, keepEvidence, keylessOptions, sayUnkept, withSigned } from '../commands/signing.ts';
import { knownIssuerUrl } from '../home/issuer-url.ts';
import { assertReadableFile, writeOutput } from '../input/input.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { assertSigner, readSignerIdentity, type SigningFlags } from '../signing-flags/signing-flags.ts';
import type { AgentRunFlags } from './agent-run-flags.ts';
import { type SignedReceipt, whyNoModel } from './run-records.ts';

const GO_ON = 'move the other one away';

/**
 * Signs what the run made, and attests the run for each: a token and a certificate for every signature.
 * @returns what was signed, for a person
 * @throws CliError `cli.model_substituted` where another model answered than was meant; those of sign-blob
 */
export async function signRun(
  signed: SignedReceipt,
  predicate: JsonObject,
  { receiptFile, predicateBase }: { readonly receiptFile: string; readonly predicateBase: string },
  flags: AgentRunFlags,
  command: Command,
  session: Session,
): Promise<string> {
  const context = runContext(signed, predicate, flags);
  const identity = assertSigner(await readSignerIdentity(context, command, session));
  const options = await keylessOptions(context, command, session, identity);
  // What stands against any of them is found before the first is signed.
  const planned = await Promise.all(
    (flags.sign ?? []).map(async (file) => {
      assertReadableFile(file);
      const statement = await statementOf(file, predicate, predicateBase);
      assertRunAgrees(statement, identity.said(), identity.witness);
      const [bundle, attestation] = [bundleBeside(file), attestationBeside(file, statement.predicateType)];
      const checks = [assertBundleFile(bundle, 'artifact', GO_ON), assertBundleFile(attestation, 'statement', GO_ON)];
      return { file, statement, bundle, attestation, checks };
    }),
  );
  const records: Signed[] = [];
  for (const { file, statement, bundle, attestation, checks } of planned) {
    const own = await withSigned(file, () =>
      signBlob({ ...options, artifact: { path: file }, checkSigner: checks[0] }),
    );
    records.push(record(file, bundle, own));
    const run = await withSigned(file, () => signStatement({ ...options, statement, checkSigner: checks[1] }));
    records.push(record(file, attestation, run));
    await keepEvidence(context, command, session, run.bundle, attestation);
  }
  // After what it stands behind: whoever is told that it was not kept has signed.
  const server = knownIssuerUrl(session.env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
  if (flags.evidence && server !== undefined) {
    const envelope = new TextEncoder().encode(JSON.stringify(signed.envelope));
    await storeReceipt(server, envelope, receiptFile).catch((error: Error) => sayUnkept(error, session));
  }
  return describeSigned(records);
}

/** The run's context as the receipt has it, so that the issuer finds nothing that contradicts it. */
function runContext({ receipt, envelope }: SignedReceipt, predicate: JsonObject, flags: AgentRunFlags): SigningFlags {
  const main = mainModel(receipt);
  if (main === undefined) {
    throw new CliError('cli.model_substituted', 'no single model stands for this run, so nothing is signed', {
      found: whyNoModel(receipt),
    });
  }
  const { modelId } = flags;
  if (modelId !== undefined && isSubstituted(modelId, main.served)) {
    throw new CliError('cli.model_substituted', 'another model answered than was meant, so nothing is signed', {
      expected: modelId,
      found: main.served,
    });
  }
  const { commit_sha, tree_sha } = predicate['git'] as { commit_sha: string; tree_sha: string };
  const { prompt: _, promptMessages: __, policyPack: ___, agent, ...rest } = flags;
  return {
    ...rest,
    agentName: agent,
    modelId: main.served,
    modelProvider: main.upstream,
    promptHash: receipt.input.prompt_hash,
    policyPackHash: receipt.policy.pack_hash,
    commitSha: commit_sha,
    treeSha: tree_sha,
    // As it was signed: its file may be in the agent's reach.
    receipt: { ...envelope, signatures: envelope.signatures.map((signature) => ({ ...signature })) },
  };
}

async function statementOf(file: string, predicate: JsonObject, predicateBase: string): Promise<Statement> {
  const { sha256 } = await hashFile(file);
  const subjects = [{ name: basename(file), digest: { sha256 } }];
  return createStatement({ subjects, predicateType: agentRunType(predicateBase), predicate });
}

function record(artifact: string, file: string, signed: Awaited<ReturnType<typeof signBlob>>): Signed {
  writeOutput(file, Buffer.from(signed.bundle).toString());
  const { digest, log_entry } = signatureIn(signed.bundle);
  return {
    artifact,
    ...(digest === undefined ? {} : { digest }),
    bundle: file,
    certificate_identity: signed.identity,
    log_entry,
  };
}
