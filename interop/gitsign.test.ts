import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_REQUEST, type Installation, mint, startColophon } from './colophon-up.ts';
import { type GitsignRepository, makeGitsignRepository } from './gitsign-repository.ts';
import { isMissing } from './programs.ts';

describe.skipIf(isMissing('gitsign', 'git', 'curl'))('gitsign and a commit', () => {
  let up: Installation;
  let repository: GitsignRepository;
  const call: GitsignRepository['call'] = (...line) => repository.call(...line);
  const must: GitsignRepository['must'] = (...line) => repository.must(...line);
  const verify = (identity: string, issuer: string, env?: Record<string, string>) =>
    call('gitsign', ['verify', '--certificate-identity', identity, '--certificate-oidc-issuer', issuer, 'HEAD'], env);

  beforeAll(async () => {
    up = await startColophon();
    repository = await makeGitsignRepository(up);
  });
  afterAll(() => up?.stop());

  describe.each(['online', 'offline'])('with the log %s', (mode) => {
    const rekor = { GITSIGN_REKOR_MODE: mode };

    beforeAll(async () => {
      writeFileSync(join(repository.folder, 'app.txt'), `what an agent wrote, ${mode}`);
      await must('git', ['add', '.']);
      const token = await mint(up.issuer, FULL_REQUEST);
      await must('git', ['commit', '--quiet', '-m', `log ${mode}`], { ...rekor, SIGSTORE_ID_TOKEN: token });
    });

    test('the agent and its issuer are accepted, by gitsign and by git', async () => {
      const verified = await verify('agent:code-writer', up.issuer, rekor);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
      const commit = await call('git', ['verify-commit', 'HEAD'], rekor);
      expect(commit.code, commit.stderr).toBe(0);
      expect(commit.stderr).toContain('agent:code-writer');
    });

    test('another agent is refused', async () => {
      const refused = await verify('agent:code-fixer', up.issuer, rekor);
      expect(refused.code).not.toBe(0);
      expect(refused.stdout + refused.stderr).toContain('agent:code-writer');
    });

    test('another issuer is refused', async () => {
      const refused = await verify('agent:code-writer', `${up.issuer}/other`, rekor);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('expected issuer value');
    });

    test('a commit that says something else under the same signature is refused', async () => {
      const { stdout: raw } = await must('git', ['cat-file', 'commit', 'HEAD']);
      writeFileSync(join(up.folder, 'tampered'), raw.replace(`log ${mode}`, `log ${mode}, and more`));
      const { stdout: forged } = await must('git', ['hash-object', '-t', 'commit', '-w', join(up.folder, 'tampered')]);
      const args = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer];
      const refused = await call('gitsign', ['verify', ...args, forged.trim()], rekor);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('does not match signed message digest');
    });
  });

  describe('what the agent wrote', () => {
    /** The only finding, with the agent's commit looked at by itself. */
    const finding = async (mode: string, ...flags: string[]) => {
      writeFileSync(join(repository.folder, `${mode}.sh`), `echo ${Date.now()}\n`.repeat(9));
      await must('git', ['add', '.']);
      const token = await mint(up.issuer, FULL_REQUEST);
      await must('git', ['commit', '--quiet', '-m', mode], { GITSIGN_REKOR_MODE: mode, SIGSTORE_ID_TOKEN: token });
      const line = ['sbom', 'comments', '--range', 'HEAD', '--output', 'json', ...flags];
      const outcome = await up.colophon(line, { cwd: repository.folder });
      expect(outcome.code, outcome.stderr).toBe(20);
      const { findings, problems } = JSON.parse(outcome.stdout);
      expect(findings).toHaveLength(1);
      return { ...findings[0], problems };
    };

    test('is found by the signature, which verifies with the log entry in the commit', async () => {
      const found = await finding('offline', '--certificate-oidc-issuer', up.issuer);
      expect(found.problems).toEqual([]);
      expect(found.sources).toEqual(['signature']);
      expect(found.comment).toBe(
        `colophon: agent=code-writer@2.4.1 model=claude-sonnet-4-5-20250929 prompt=sha256:${FULL_REQUEST.prompt_hash}`,
      );
      expect(found.basis.model).toEqual({ source: 'declared', signer: 'agent:code-writer' });
    });

    test('is not called verified where the issuer is another', async () => {
      const found = await finding('offline', '--certificate-oidc-issuer', 'https://other.example');
      expect(found.sources).toEqual(['signature-unverified']);
      expect(found.problems[0].code).toBe('identity.issuer_mismatch');
    });

    test('is not called verified where the log entry is only in the log', async () => {
      const found = await finding('online');
      expect(found.sources).toEqual(['signature-unverified']);
      expect(found.problems[0].code).toBe('log_entry.missing');
    });
  });
});
