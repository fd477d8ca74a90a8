import type { TokenAlg } from '../token-issuer/token-issuer.ts';

/** What a platform signs for a job or a workload; `iss` is missing, as whoever signs it has one. */
export type PlatformToken = {
  readonly alg: TokenAlg;
  /** Of the header, beside `alg` and `kid`; what is undefined is left out. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>> & { readonly iat: number; readonly exp: number };
};

/** The commit that started the jobs. */
export const PLATFORM_COMMIT = '5f2a1c9e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39';
const WORKFLOW = 'acme/ci/.github/workflows/agent.yml@refs/heads/main';

export type PlatformName = 'GitHub Actions' | 'GitLab CI' | 'Kubernetes' | 'SPIFFE';

/**
 * The claims that each platform documents, with values of our own, all about one repository.
 * @param now seconds since the epoch
 * @see https://docs.github.com/en/actions/reference/security/oidc
 * @see https://docs.gitlab.com/ci/secrets/id_token_authentication/
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/
 * @see https://github.com/spiffe/spiffe/blob/main/standards/JWT-SVID.md
 */
export function platformTokens(audience: string, now: number): Readonly<Record<PlatformName, PlatformToken>> {
  return {
    'GitHub Actions': {
      alg: 'RS256',
      header: { x5t: 'eBZ_cn3sXYAd0ch4THBKHIgOwOE' },
      claims: {
        jti: '3f1c2b9a-56d4-4e0f-8a7b-2c9d1e0f4a5b',
        sub: 'repo:acme/webshop:ref:refs/heads/main',
        aud: audience,
        ref: 'refs/heads/main',
        sha: PLATFORM_COMMIT,
        repository: 'acme/webshop',
        repository_owner: 'acme',
        actor_id: '17',
        repository_visibility: 'private',
        repository_id: '123456789',
        repository_owner_id: '7',
        run_id: '9001',
        run_number: '12',
        run_attempt: '1',
        runner_environment: 'github-hosted',
        actor: 'alice',
        workflow: 'agent',
        head_ref: '',
        base_ref: '',
        event_name: 'push',
        ref_protected: 'true',
        ref_type: 'branch',
        workflow_ref: 'acme/webshop/.github/workflows/provenance.yml@refs/heads/main',
        workflow_sha: PLATFORM_COMMIT,
        job_workflow_ref: WORKFLOW,
        job_workflow_sha: '7a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39ee',
        nbf: now - 600,
        iat: now - 10,
        exp: now + 290,
      },
    },
    'GitLab CI': {
      alg: 'RS256',
      header: {},
      claims: {
        namespace_id: '72',
        namespace_path: 'acme',
        project_id: '42',
        project_path: 'acme/webshop',
        project_visibility: 'private',
        user_id: '1',
        user_login: 'alice',
        user_email: 'alice@example.com',
        user_access_level: 'developer',
        user_identities: [{ provider: 'saml', extern_uid: '1' }],
        pipeline_id: '574',
        pipeline_source: 'push',
        job_id: '302',
        ref: 'main',
        ref_type: 'branch',
        ref_path: 'refs/heads/main',
        ref_protected: 'true',
        groups_direct: ['acme'],
        runner_id: 1,
        runner_environment: 'self-hosted',
        sha: PLATFORM_COMMIT,
        ci_config_ref_uri: 'gitlab.example.com/acme/webshop//.gitlab-ci.yml@refs/heads/main',
        ci_config_sha: PLATFORM_COMMIT,
        jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
        iat: now - 10,
        nbf: now - 15,
        exp: now + 3590,
        sub: 'project_path:acme/webshop:ref_type:branch:ref:main',
        aud: audience,
      },
    },
    Kubernetes: {
      alg: 'ES256',
      header: { typ: undefined },
      claims: {
        aud: [audience],
        exp: now + 3000,
        iat: now - 600,
        jti: '8d3f0a1e-7c44-4a4e-9f53-0d5b5c1a7e21',
        'kubernetes.io': {
          namespace: 'agents',
          node: { name: 'node-1', uid: '4f3a1b62-7c1d-4b68-8f3e-9f1d2c3b4a51' },
          pod: { name: 'code-fixer-1', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
          serviceaccount: { name: 'code-fixer', uid: '0e1d2c3b-4a59-4687-9786-a5b4c3d2e1f0' },
        },
        nbf: now - 600,
        sub: 'system:serviceaccount:agents:code-fixer',
      },
    },
    SPIFFE: {
      alg: 'ES384',
      header: {},
      claims: {
        sub: 'spiffe://prod.example/ns/agents/sa/code-fixer',
        aud: [audience],
        exp: now + 300,
        iat: now,
      },
    },
  };
}
