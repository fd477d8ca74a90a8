import { join } from 'node:path';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { attachBundle } from '../../sigstore/src/image-signature/attach.ts';
import { type BundleJson, draftStatement, toBytes } from '../../sigstore/test/local-sigstore/draft-bundle.ts';
import { type Claims, emailName, LocalSigstore, uriName } from '../../sigstore/test/local-sigstore/local-sigstore.ts';
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

/** Starts an installation with a company beside it; `issuers`, where its root says for whom it is. */
export async function installWithCompany(
  cleanup: (undo: () => void | Promise<void>) => void,
  issuers?: string,
): Promise<{ readonly here: Installation; readonly company: Company }> {
  const here = await install(cleanup);
  const authority = new LocalSigstore();
  here.file('company.json', authority.trustedRootJson());
  const own = join(here.dataDir, 'trust', 'trusted_root.json');
  const root = issuers === undefined ? 'company.json' : `{ name: company, file: company.json, issuers: [${issuers}] }`;
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
