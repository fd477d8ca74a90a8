/** A configuration file to begin with, as `colophon config example` prints it; it has every key that most will need. */
export const CONFIGURATION_EXAMPLE = `# Colophon's issuer. Check it: colophon config check colophon.yaml
# Secrets are env:NAME or file:PATH. Paths begin at the folder of this file.

# iss of every token, byte for byte: certificates name it for ever, so choose a name that stays yours.
issuer: https://agents.example.com

# Beyond loopback: tls, or trustedProxies: [10.0.0.0/8] for a proxy that ends TLS.
listen:
  address: 0.0.0.0
  port: 8443
  tls: { certificate: tls.crt, key: "file:tls.key" }

# /livez, /readyz and /metrics, over plain HTTP.
operations: { address: 127.0.0.1, port: 9464 }

data: /var/lib/colophon

# What it has signed, outside of data and of its backup, so that an older copy of data is refused.
pins: /var/lib/colophon-pins

# RS256 is the algorithm that cosign takes on its command line.
tokens: { algorithm: RS256, audiences: [sigstore] }

callers:
  # A job of GitHub Actions. The workflow is pinned with its branch, the repository by the id that is never reused.
  # An owner alone would let whoever can push a branch speak as the agent.
  - name: webshop-actions
    kind: github
    oidc:
      issuer: https://token.actions.githubusercontent.com
      audience: https://agents.example.com
      where:
        repository_id: "123456789"
        job_workflow_ref: acme/ci/.github/workflows/agent.yml@refs/heads/main
        event_name: [push, pull_request]
    may:
      agents: [code-writer]
      models: ["claude-*"]
      repositories: ["acme/*"]

  # A job of GitLab CI, with id_tokens: { COLOPHON_TOKEN: { aud: https://agents.example.com } }.
  - name: webshop-gitlab
    kind: gitlab
    oidc:
      issuer: https://gitlab.example.com
      audience: https://agents.example.com
      where:
        project_id: "42"
        ref_protected: "true"
    may: { agents: [code-writer], repositories: ["acme/*"] }

  # A pod, with a projected token of its service account.
  - name: agent-pods
    kind: kubernetes
    oidc:
      issuer: https://kubernetes.default.svc.cluster.local
      audience: https://agents.example.com
      where:
        sub: system:serviceaccount:agents:code-fixer
        /kubernetes.io/serviceaccount/uid: 0e1d2c3b-4a59-4687-9786-a5b4c3d2e1f0
      keys: { file: cluster-jwks.json }
    may: { agents: [code-fixer] }

  # Whoever has no token of its own: colophon callers key create builder
  - name: builder
    apiKey: true
    may: { agents: [code-fixer], purposes: [artifact] }

agents:
  - { name: code-writer, owner: platform@example.com }
  - { name: code-fixer, owner: platform@example.com }

models:
  - { id: "claude-*", provider: anthropic }

# Whose signatures count and where to sign, for the server and for every command with --config.
# trust: { roots: [trust/own.json], signingConfig: trust/signing_config.json }

# Policies that are in force: colophon review reject says which of them hear it.
# policies: [policy.yaml]

# Tokens without these claims, or with other sources of them, are not issued.
# claims: { required: [repo, commit_sha], sources: { repo: [caller-token] } }
`;
