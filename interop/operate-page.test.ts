import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORM_COMMIT } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isMissing, isNotRoot, run } from './programs.ts';

/** A network of its own in which the issuer has its name, and an /etc, /run and /var/lib that are gone afterwards. */
const APART = `
/usr/sbin/ip link set lo up
mount -t tmpfs tmpfs "$1"
mount -t tmpfs tmpfs /run
for folder in etc var/lib; do
  mkdir -p "$1/$folder.upper" "$1/$folder.work"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/$folder.upper,workdir=$1/$folder.work" "/$folder"
done
echo '127.0.0.1 localhost agents.example.com' >/etc/hosts
mkdir "$1/work"
exec "$2" "$3" "$1/work"`;

describe.skipIf(isNotRoot() || isMissing('/usr/sbin/ip', '/usr/bin/unshare', 'openssl', 'curl'))(
  'docs/operate.md',
  () => {
    test('leads from an empty server to the first tokens of a GitHub job, a GitLab job and a pod', async () => {
      const scratch = mkdtempSync(join(tmpdir(), 'colophon-operate-'));
      onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
      const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
      const driver = join(import.meta.dirname, 'operate-page.ts');
      const line = ['bash', '-euo', 'pipefail', '-c', APART, 'apart', scratch, process.execPath, driver];
      const { code, stdout, stderr } = await run('/usr/bin/unshare', [...apart, ...line], { timeoutMs: 120_000 });
      expect(code, stderr).toBe(0);
      const { github, gitlab, kubernetes } = JSON.parse(stdout);

      const sources = (claims: { claim_sources: string }) =>
        Object.fromEntries(claims.claim_sources.split(';').map((pair) => pair.split('=')));
      const confirmed = {
        repo: 'acme/webshop',
        commit_sha: PLATFORM_COMMIT,
        trigger: 'push',
        sub: 'agent:code-writer',
      };
      expect(github.repo_uri).toBe('https://github.com/acme/webshop');
      expect(gitlab.repo_uri).toBe('https://gitlab.example.com/acme/webshop');
      for (const claims of [github, gitlab]) {
        expect(claims).toMatchObject({ iss: 'https://agents.example.com', aud: 'sigstore', ...confirmed });
        expect(sources(claims)).toMatchObject({ repo: 'caller-token', commit_sha: 'caller-token' });
        expect(sources(claims)).toMatchObject({ model_id: 'declared', prompt_hash: 'declared' });
      }
      expect(kubernetes).toMatchObject({ repo: 'acme/webshop', sub: 'agent:code-fixer', model_provider: 'anthropic' });
      expect(kubernetes).not.toHaveProperty('trigger');
      expect(sources(kubernetes)).toMatchObject({ repo: 'declared', commit_sha: 'declared', agent_name: 'registry' });
    });
  },
);
