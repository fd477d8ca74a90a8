// sigstore-js has no program for bundles; this one hands its arguments to the library and prints what it answers.
//   sigstore-js sign   --signing-config FILE --bundle FILE [--payload-type TYPE] FILE    (token: SIGSTORE_ID_TOKEN)
//   sigstore-js verify --trusted-root FILE --bundle FILE --identity REGEXP --issuer URL (--digest SHA256 | FILE)
// Ends with 1 and one line, the code and message of the library's error, where the library refuses.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bundleFromJSON, bundleToJSON } from '@sigstore/bundle';
import { SigningConfig, TrustedRoot } from '@sigstore/protobuf-specs';
import { bundleBuilderFromSigningConfig } from '@sigstore/sign';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';

const text = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'signing-config': text,
    'trusted-root': text,
    'payload-type': text,
    bundle: text,
    identity: text,
    issuer: text,
    digest: text,
  },
});
const [command, file] = positionals;
const readJson = (name) => JSON.parse(readFileSync(values[name], 'utf8'));

async function sign() {
  const type = values['payload-type'];
  const builder = bundleBuilderFromSigningConfig({
    signingConfig: SigningConfig.fromJSON(readJson('signing-config')),
    identityProvider: { getToken: async () => process.env.SIGSTORE_ID_TOKEN },
    bundleType: type === undefined ? 'messageSignature' : 'dsseEnvelope',
  });
  const bundle = await builder.create({ data: readFileSync(file), type });
  writeFileSync(values.bundle, JSON.stringify(bundleToJSON(bundle)));
}

function verify() {
  const bundle = bundleFromJSON(readJson('bundle'));
  const artifact = file === undefined ? undefined : readFileSync(file);
  const material = toTrustMaterial(TrustedRoot.fromJSON(readJson('trusted-root')));
  const verifier = new Verifier(material, { tlogThreshold: 1, ctlogThreshold: 1, timestampThreshold: 1 });
  verifier.verify(toSignedEntity(bundle, artifact), {
    subjectAlternativeName: values.identity,
    extensions: { issuer: values.issuer },
  });
  // What a statement is about is left to whoever calls the library.
  const envelope = bundle.content.dsseEnvelope;
  if (envelope === undefined) return;
  const digest = values.digest ?? createHash('sha256').update(artifact).digest('hex');
  const { subject } = JSON.parse(envelope.payload.toString());
  if (!subject.some((one) => one.digest.sha256 === digest)) throw new Error('the statement is about something else');
}

try {
  await { sign, verify }[command]();
} catch (error) {
  const causes = [];
  for (let one = error; one instanceof Error; one = one.cause) causes.push(`${one.code ?? one.name}: ${one.message}`);
  process.stderr.write(`${causes.join('; ')}\n`);
  process.exitCode = 1;
}
