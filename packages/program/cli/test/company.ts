import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfiguredTrust } from '@colophon/server';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { temporaryFolder } from '@colophon/testkit';
import { type BundleJson, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { type Claims, emailName, LocalSigstore, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { type Installation, install } from './installation.ts';

export const REVIEW_TYPE = 'https://colophon.example/predicates/agent-review/v1';
/** The company's login, by which its authority certifies people. */
export const SSO = 'https://sso.example';

/** Whom the company's authority certifies: a person by e-mail, or somebody by a name that is a URI. */
export type Signer = {
  readonly issuer?: string;
  readonly subject: string;
  readonly isUri?: boolean;
  /** What the certificate says beside issuer and subject. */
  readonly claims?: Claims;
};

/** A company whose root is pinned beside that of the installation. */
export type Company = {
  readonly authority: LocalSigstore;
  /** The client's configuration file with both roots. */
  readonly configuration: string;
  sign(statement: object, signer: Signer): BundleJson;
  attach(image: string, bundle: BundleJson, predicateType?: string): Promise<void>;
};

/**
 * Starts an installation with a company beside it.
 * @param issuers where its root says for whom it is
 * @param isInStore whether the evidence store of the installation takes its people's word, as with `up --config`
 */
export async function installWithCompany(
  cleanup: (undo: () => void | Promise<void>) => void,
  { issuers, isInStore = false }: { readonly issuers?: string; readonly isInStore?: boolean } = {},
): Promise<{ readonly here: Installation; readonly company: Company }> {
  const authority = new LocalSigstore();
  const file = join(temporaryFolder(cleanup), 'company.json');
  writeFileSync(file, JSON.stringify(authority.trustedRootJson()));
  const roots = [{ name: 'company', file, insecureIgnoreSct: false }];
  const stored = { trust: readConfiguredTrust({ roots }, new Date()), peopleIssuers: [SSO] };
  const here = await install(cleanup, isInStore ? stored : {});
  const own = join(here.dataDir, 'trust', 'trusted_root.json');
  const root = issuers === undefined ? file : `{ name: company, file: ${file}, issuers: [${issuers}] }`;
  const company: Company = {
    authority,
    configuration: here.file('colophon.yaml', `trust: { roots: [{ name: own, file: ${own} }, ${root}] }\n`),
    sign: (statement, { issuer = SSO, subject, isUri = false, claims }) =>
      draftStatement(authority, statement, {
        claims: { iss: issuer, sub: subject, ...claims },
        sans: [isUri ? uriName(subject) : emailName(subject)],
      }),
    attach: async (image, bundle, predicateType = REVIEW_TYPE) => {
      const client = new RegistryClient();
      const place = await client.resolve(imageToFetch(image));
      await attachBundle(client, place, { bundle: toBytes(bundle), predicateType, now: new Date() });
    },
  };
  return { here, company };
}
