import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestToken } from '@colophon/oidc';
import { attestImage, imageToFetch, RegistryClient } from '@colophon/sigstore';
import { foreignSigner } from '../packages/program/cli/test/foreign-signer.ts';
import { FULL_REQUEST, type Installation } from './colophon-up.ts';
import { pushImage } from './images.ts';
import { COMMIT, REVIEW_TYPE } from './review-predicates.ts';

type Format = 'auto' | 'older';
type SignedOptions = {
  readonly agent?: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly format?: Format;
};
type AttestOptions = { readonly by?: string; readonly type?: string; readonly format?: Format };

/** Images in a real registry, signed and reviewed in both formats, also as no program of ours would do it. */
export class ReviewedImages {
  readonly #up: Installation;
  #pushed = 0;

  constructor(up: Installation) {
    this.#up = up;
  }

  /** A new image that nobody signed, by its digest. */
  async unsigned(repository = 'webshop'): Promise<string> {
    this.#pushed += 1;
    const { reference } = await pushImage(this.#up, `${repository}-${this.#pushed}`);
    return reference;
  }

  /** One that an agent signed. */
  async signed({
    agent = 'code-writer',
    repository,
    commit = COMMIT,
    format = 'auto',
  }: SignedOptions = {}): Promise<string> {
    const image = await this.unsigned(repository);
    const request = { ...FULL_REQUEST, agent_name: agent, commit_sha: commit };
    await this.#must(['sign', '--context', '-', '--signature-format', format, image], JSON.stringify(request));
    return image;
  }

  /** A new key pair; answers with the file of the private key, and PEM of the public one. */
  async newKey(name: string): Promise<{ readonly file: string; readonly publicKey: string }> {
    await this.#must(['generate-key-pair', '--output-key-prefix', name]);
    const at = (ending: string) => join(this.#up.folder, `${name}.${ending}`);
    return { file: at('key'), publicKey: readFileSync(at('pub'), 'utf8') };
  }

  /** Signs an image by a key. */
  async signByKey(image: string, file: string): Promise<void> {
    await this.#must(['sign', '--key', file, image]);
  }

  /** Attests what a predicate says, whatever that is; `by` is a reviewer's address, or an agent's name. */
  async attest(
    image: string,
    predicate: unknown,
    { by = 'alice@example.com', type = REVIEW_TYPE, format = 'auto' }: AttestOptions = {},
  ): Promise<void> {
    const client = new RegistryClient();
    await attestImage({
      client,
      image: await client.resolve(imageToFetch(image)),
      signer: foreignSigner(
        this.#up.issuer,
        by.includes('@') ? await this.#tokenOf(by) : { ...FULL_REQUEST, agent_name: by },
      ),
      attestation: { predicateType: type, predicate },
      format,
    });
  }

  /** `colophon review …` of an image or, without one, of the commit alone. */
  async review(
    verb: 'approve' | 'reject',
    image: string | undefined,
    { by = 'alice@example.com', commit = COMMIT }: { readonly by?: string; readonly commit?: string } = {},
  ): Promise<void> {
    const about = image === undefined ? [] : [image];
    await this.#must(['review', verb, ...about, '--reviewer', by, '--commit-sha', commit]);
  }

  async #tokenOf(reviewer: string): Promise<string> {
    const { issuer, folder } = this.#up;
    const secret = readFileSync(join(folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
    const request = { purpose: 'review', human_reviewer: reviewer, commit_sha: COMMIT };
    return requestToken(issuer, new TextEncoder().encode(JSON.stringify(request)), { secret });
  }

  async #must(args: readonly string[], input?: string): Promise<void> {
    const { code, stderr } = await this.#up.colophon(args, {
      // A review of a commit alone is written where its reviewer is.
      cwd: this.#up.folder,
      env: { COSIGN_PASSWORD: 'correct-horse' },
      ...(input !== undefined && { input }),
    });
    if (code !== 0) throw new Error(`colophon ${args.join(' ')}: ${stderr}`);
  }
}
