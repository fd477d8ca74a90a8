import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { grypeDatabase } from './grype-database.ts';
import { isMissing } from './programs.ts';

describe.skipIf(isMissing('syft', 'grype', 'grype-database', 'gpg', 'cosign'))(
  'log4j from a scan to the signed report, as docs/triage.md tells it',
  () => {
    let installation: Installation;
    let work: string;
    let scanner: Record<string, string>;
    beforeAll(async () => {
      installation = await startColophon();
      work = join(installation.folder, 'work');
      mkdirSync(work);
      scanner = await grypeDatabase(
        join(work, 'grype'),
        readFileSync(join(import.meta.dirname, 'log4j/advisories.json')),
      );
    });
    afterAll(() => installation?.stop());

    tellStory('triage.md', () => ({
      ...installation.env,
      ...scanner,
      WORK: work,
      ISSUER: installation.issuer,
      TRUST: installation.trust,
      GNUPGHOME: join(work, 'gnupg'),
      COLOPHON_DATABASE: join(work, 'remediation.db'),
    }));

    test('the report counts two patched, one justified, one open, and names what lies beside it', () => {
      const folder = join(work, 'report');
      const files = readdirSync(folder, { recursive: true }).map(String);
      const name = files.find((file) => /^quarterly-report-.*\.json$/.test(file)) ?? '';
      const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      expect(report).toMatchObject({
        total_cves_discovered: 4,
        cves_by_severity: { critical: 2, high: 0, medium: 2, low: 0 },
        cve_sources: { cisa_kev: 2, nvd_only: 2 },
        remediation_metrics: {
          patched_within_sla: 2,
          patched_out_of_sla: 0,
          marked_not_affected_with_vex: 1,
          still_pending: 1,
          sla_compliance_rate: '100.0%',
        },
      });
      const { sbom, vulnerability_scan, vex_documents, remediation_records } = report.artifacts;
      for (const artifact of [sbom, vulnerability_scan, ...vex_documents, remediation_records]) {
        expect(files).toContain(artifact);
      }
      expect(vex_documents).toHaveLength(1);
    });
  },
);
