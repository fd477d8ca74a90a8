import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ForeignIssuer, makeIssuerKey, mintToken, platformTokens, startForeignIssuer } from '@colophon/testkit';

/** Tokens of the four platforms, with the claims that each documents, by keys that are made here. */
export type PlatformIssuers = {
  /** Entries of `callers` that trust them, for a configuration in `folder`. */
  readonly callers: (audience: string) => string;
  /** A new token, with changes to its claims. */
  token(platform: Platform, audience: string, changes?: Readonly<Record<string, unknown>>): string;
  stop(): Promise<void>;
};

export const PLATFORMS = ['GitHub Actions', 'GitLab CI', 'Kubernetes', 'SPIFFE'] as const;
export type Platform = (typeof PLATFORMS)[number];

const GITHUB = 'https://token.actions.githubusercontent.com';
const GITLAB = 'https://gitlab.example.com';

/**
 * GitHub and GitLab under their own names with key files, so that the addresses of their repositories follow from the
 * name; Kubernetes behind discovery on 127.0.0.1; of SPIFFE a bundle.
 */
export async function startPlatformIssuers(folder: string): Promise<PlatformIssuers> {
  const sample = platformTokens('', 0);
  const github = makeIssuerKey(sample['GitHub Actions'].alg, 'github');
  const gitlab = makeIssuerKey(sample['GitLab CI'].alg, 'gitlab');
  const spire = makeIssuerKey(sample.SPIFFE.alg, 'spire');
  const kubernetes: ForeignIssuer = await startForeignIssuer({ alg: sample.Kubernetes.alg });
  const { alg: _, ...svidKey } = spire.jwk;
  const file = (name: string, keys: readonly object[]) =>
    writeFileSync(join(folder, name), JSON.stringify({ keys, spiffe_sequence: 1 }));
  file('github-keys.json', [github.jwk]);
  file('gitlab-keys.json', [gitlab.jwk]);
  file('bundle.json', [{ ...svidKey, use: 'jwt-svid' }]);
  return {
    callers: (audience) => `
  - name: webshop-actions
    kind: github
    oidc:
      issuer: ${GITHUB}
      audience: ${audience}
      where:
        repository_id: "123456789"
        job_workflow_ref: acme/ci/.github/workflows/agent.yml@refs/heads/main
        event_name: [push, pull_request]
      keys: { file: github-keys.json }
    may: { agents: [code-writer] }
  - name: webshop-gitlab
    kind: gitlab
    oidc:
      issuer: ${GITLAB}
      audience: ${audience}
      where: { project_id: "42", ref_protected: "true" }
      keys: { file: gitlab-keys.json }
    may: { agents: [code-writer] }
  - name: agent-pods
    kind: kubernetes
    oidc:
      issuer: ${kubernetes.url}
      audience: ${audience}
      where:
        sub: system:serviceaccount:agents:code-fixer
        /kubernetes.io/serviceaccount/uid: 0e1d2c3b-4a59-4687-9786-a5b4c3d2e1f0
    may: { agents: [code-writer] }
  - name: agent-svid
    kind: spiffe
    oidc:
      issuer: spiffe://prod.example
      audience: ${audience}
      where: { sub: spiffe://prod.example/ns/agents/sa/code-fixer }
      keys: { file: bundle.json }
    may: { agents: [code-writer] }`,
    token: (platform, audience, changes = {}) => {
      const { claims, header } = platformTokens(audience, Math.floor(Date.now() / 1000))[platform];
      const said: Record<string, unknown> = { ...claims, ...('jti' in claims && { jti: randomUUID() }), ...changes };
      if (platform === 'Kubernetes') return kubernetes.sign(said, header);
      if (platform === 'SPIFFE') return mintToken(spire, said, header);
      const [key, iss] = platform === 'GitHub Actions' ? [github, GITHUB] : [gitlab, GITLAB];
      return mintToken(key, { iss, ...said }, header);
    },
    stop: () => kubernetes.stop(),
  };
}
