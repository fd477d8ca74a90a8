import { alsoHaving, count, flag, having, listOf, oneOf, resultOf, string } from '@colophon/records/result';
import { sbomLoss } from '@colophon/sbom/result';
import { SEVERITIES } from './dashboard-finding.ts';

const severity = oneOf('as the dashboard has it', SEVERITIES);

const uploadVersion = alsoHaving(
  having('in which version of CycloneDX it was sent, and why', {
    document: string('of the document as it stands'),
    sent: string('that it was sent in'),
    basis: oneOf('asked: by --spec-version; server: it said its version; assumed: it did not', [
      'asked',
      'server',
      'assumed',
    ]),
    server: string('what the server said of itself, or why that is not known'),
  }),
  { readable: string('the newest that is read there') },
);

const sent = {
  token: string('under which the server processes it'),
  converted: flag('whether it was not sent as it stands in the file'),
  upload_version: uploadVersion,
  losses: listOf('what the document that was sent does not say', sbomLoss),
} as const;

const finding = alsoHaving(
  having('one vulnerability of one component', {
    vulnerability: string('its id'),
    source: string('who published it: NVD, GITHUB, …'),
    severity,
    component: string('its name'),
  }),
  {
    version: string('of the component'),
    purl: string('of the component'),
    cvss: { type: 'number' as const, description: 'its score' },
    state: string('what was decided about it: NOT_AFFECTED, …'),
  },
);

/** `colophon sbom upload`. Not `ok` where --fail-on is reached. */
export const uploadResult = resultOf(
  'the document that was uploaded, and what the dashboard finds in it',
  {
    dashboard: string('address of its API server'),
    project: alsoHaving(having('where it went', {}), {
      uuid: string('of the project'),
      name: string('of the project'),
      version: string('of the project'),
    }),
    processed: flag('false if the upload did not wait for it'),
    sent_in_standard_profile: flag('true where the document has the contract’s own fields, which no dashboard reads'),
    ...sent,
  },
  {
    vex: having('the VEX document about it', sent),
    findings: listOf('the worst first', finding),
    severity_counts: having(
      'findings of each severity',
      Object.fromEntries(SEVERITIES.map((name) => [name, count])) as {
        readonly [name in (typeof SEVERITIES)[number]]: typeof count;
      },
    ),
    fail_on: severity,
    over_threshold_count: { ...count, description: 'findings as bad as fail_on, or worse' },
  },
);
