import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One verification that the suite asks for, as a line of the program. */
export type ConformanceCase = {
  /** As the suite's own runner names it: `PATH-<folder>` or `DIGEST-<folder>`. */
  readonly name: string;
  readonly line: readonly string[];
  readonly mustFail: boolean;
};

/** Who signed where a case does not say it: test/assets/bundle-verify/README.md of the suite. */
const IDENTITY =
  'https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main';
const ISSUER = 'https://token.actions.githubusercontent.com';

/** The case that carries the public-good instance's root, with an end of its log's validity that is only about itself. */
const PUBLIC_GOOD = 'trust-root-tlog-validity-end-inclusive';

/** Every case of a checkout, once with the file and once with its digest; `scratch` is where a trusted root is written. */
export function readCases(suite: string, scratch: string): readonly ConformanceCase[] {
  const assets = join(suite, 'test', 'assets', 'bundle-verify');
  const publicGood = publicGoodRoot(assets, scratch);
  return readdirSync(assets, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = join(assets, name);
      const own = (file: string) => (existsSync(join(folder, file)) ? join(folder, file) : undefined);
      const artifact = own('artifact') ?? join(assets, 'a.txt');
      const bundle = join(folder, 'bundle.sigstore.json');
      const key = own('key.pub');
      const told = (file: string, otherwise: string) =>
        readFileSync(own(file) ?? '/dev/null', 'utf8').trim() || otherwise;
      const signer = key
        ? ['--key', key]
        : [
            ...['--certificate-identity', told('identity', IDENTITY)],
            ...['--certificate-oidc-issuer', told('issuer', ISSUER)],
          ];
      const trust = ['--trusted-root', own('trusted_root.json') ?? publicGood];
      const line = [...commandFor(bundle), '--bundle', bundle, ...signer, ...trust];
      const mustFail = name.endsWith('fail');
      const digest = `sha256:${createHash('sha256').update(readFileSync(artifact)).digest('hex')}`;
      return [
        { name: `PATH-${name}`, line: [...line, artifact], mustFail },
        { name: `DIGEST-${name}`, line: [...line, digest], mustFail },
      ];
    });
}

/** The suite has one command for both kinds of bundle and names no predicate type: the statement's own is taken. */
function commandFor(bundle: string): string[] {
  try {
    const { dsseEnvelope } = JSON.parse(readFileSync(bundle, 'utf8'));
    if (dsseEnvelope === undefined) return ['verify-blob'];
    const { predicateType } = JSON.parse(Buffer.from(dsseEnvelope.payload, 'base64').toString());
    return ['verify-blob-attestation', '--type', predicateType];
  } catch {
    return ['verify-blob'];
  }
}

/** Clients of the suite fetch this root; it is put together from a case instead, so that no connection is opened. */
function publicGoodRoot(assets: string, scratch: string): string {
  const root = JSON.parse(readFileSync(join(assets, PUBLIC_GOOD, 'trusted_root.json'), 'utf8'));
  for (const { publicKey } of root.tlogs) delete publicKey.validFor.end;
  const file = join(scratch, 'trusted_root.json');
  writeFileSync(file, JSON.stringify(root));
  return file;
}
