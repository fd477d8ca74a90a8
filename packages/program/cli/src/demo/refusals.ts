import { readFile, writeFile } from 'node:fs/promises';
import { EXIT } from '../exit-code/exit-code.ts';
import { pushImageOf, type Scene } from './scene.ts';

const OTHER_COMMIT = 'f'.repeat(40);
const REFUSED = EXIT.refused;

/** Everything that must not pass: tampering with artifact, bundle, agent and review, each refused for its own reason. */
export async function playRefusals(scene: Scene): Promise<void> {
  scene.stage.chapter('What is refused');
  await refuseFiles(scene);
  await refuseTokens(scene);
  await refuseImages(scene);
}

async function refuseFiles({ stage, issuer }: Scene): Promise<void> {
  const by = (subject: string) => ['--certificate-identity', subject, '--certificate-oidc-issuer', issuer];
  const bundle = JSON.parse(await readFile('change.patch.sigstore.json', 'utf8'));

  stage.step('The artifact was changed after it was signed');
  await writeFile('tampered.patch', (await readFile('change.patch', 'utf8')).replace('discount', 'discountt'));
  await stage.refuse(
    ['verify-blob', '--bundle', 'change.patch.sigstore.json', ...by('agent:code-writer'), 'tampered.patch'],
    {
      code: 'artifact.mismatch',
      exitCode: EXIT.doesNotMatch,
    },
  );

  stage.step('One bit of the signature was changed');
  const signature = Buffer.from(bundle.messageSignature.signature, 'base64');
  signature[signature.length - 1] = (signature[signature.length - 1] as number) ^ 1;
  const flipped = structuredClone(bundle);
  flipped.messageSignature.signature = signature.toString('base64');
  await writeFile('flipped.json', JSON.stringify(flipped));
  await stage.refuse(['verify-blob', '--bundle', 'flipped.json', ...by('agent:code-writer'), 'change.patch'], {
    code: 'signature.invalid',
    exitCode: EXIT.doesNotMatch,
  });

  stage.step('The log’s proof was changed');
  const unproven = structuredClone(bundle);
  unproven.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
  await writeFile('unproven.json', JSON.stringify(unproven));
  await stage.refuse(['verify-blob', '--bundle', 'unproven.json', ...by('agent:code-writer'), 'change.patch'], {
    code: 'log_entry.inclusion_proof_invalid',
    exitCode: EXIT.untrusted,
  });

  stage.step('Another agent is said to have signed it');
  await stage.refuse(
    ['verify-blob', '--bundle', 'change.patch.sigstore.json', ...by('agent:code-fixer'), 'change.patch'],
    {
      code: 'identity.subject_mismatch',
      exitCode: EXIT.doesNotMatch,
    },
  );

  stage.step('A verification that would accept anybody');
  const anybody = ['--certificate-identity-regexp', '.*', '--certificate-oidc-issuer', issuer];
  await stage.refuse(['verify-blob', '--bundle', 'change.patch.sigstore.json', ...anybody, 'change.patch'], {
    code: 'identity.unconstrained',
    exitCode: EXIT.usage,
  });
}

async function refuseTokens({ stage }: Scene): Promise<void> {
  stage.step('A token that was exchanged already');
  await stage.refuse(['sign-blob', '--identity-token', 'token.jwt', '--bundle', 'replayed.json', 'change.patch'], {
    code: 'signing.ca_refused',
    exitCode: EXIT.notAuthorized,
  });

  stage.step('A context that tries to choose its own subject');
  const context = JSON.parse(await readFile('context.json', 'utf8'));
  await writeFile('forged.json', JSON.stringify({ ...context, sub: 'agent:root' }));
  await stage.refuse(['sign-blob', '--context', 'forged.json', '--bundle', 'forged.sigstore.json', 'change.patch'], {
    code: 'issuer.refused',
    exitCode: REFUSED,
  });
}

async function refuseImages({ stage, registry, tree, change }: Scene): Promise<void> {
  const push = (name: string) =>
    pushImageOf(registry, name, { ...tree, 'app/NAME': new TextEncoder().encode(name) }, change.commit);
  const admit = (image: string, code: string) =>
    stage.refuse(['admit', image, '--policy', 'policy.yaml'], { code, exitCode: REFUSED });
  const approve = (image: string, commit: string) =>
    stage.run(['review', 'approve', image, '--reviewer', 'alice@example.com', '--commit-sha', commit]);

  stage.step('An image that nobody reviewed');
  const unreviewed = await push('webshop-unreviewed');
  await stage.run(['sign', '--context', 'context.json', unreviewed]);
  await admit(unreviewed, 'admission.review_missing');

  stage.step('An agent outside the approved list');
  const rogue = await push('webshop-rogue');
  await stage.run(['sign', '--context', 'context.json', '--agent-name', 'shadow-writer', rogue]);
  await approve(rogue, change.commit);
  await admit(rogue, 'admission.agent_not_approved');

  stage.step('An agent that reviews itself');
  const selfReviewed = await push('webshop-self-reviewed');
  await stage.run(['sign', '--context', 'context.json', selfReviewed]);
  const review = {
    human_reviewer: 'alice@example.com',
    review_timestamp: new Date().toISOString(),
    commit_sha: change.commit,
  };
  await writeFile('self-review.json', JSON.stringify(review));
  const attest = ['attest', '--context', 'context.json', '--type', 'agent-review', '--predicate', 'self-review.json'];
  await stage.run([...attest, selfReviewed]);
  await admit(selfReviewed, 'admission.review_signed_by_agent');

  stage.step('A review of another commit');
  const otherCommit = await push('webshop-other-commit');
  await stage.run(['sign', '--context', 'context.json', otherCommit]);
  await approve(otherCommit, OTHER_COMMIT);
  await admit(otherCommit, 'admission.review_other_commit');

  stage.step('An image that no policy covers');
  const uncovered = await push('billing');
  await stage.run(['sign', '--context', 'context.json', uncovered]);
  await admit(uncovered, 'admission.image_not_covered');
}
