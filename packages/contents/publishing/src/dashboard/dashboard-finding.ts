import { compareTexts } from '@colophon/notation';
/** From the worst to the one that says least, as Dependency-Track names them in lower case. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info', 'unassigned'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One vulnerability of one component of a project. */
export type DashboardFinding = {
  readonly vulnerability: string;
  /** Who published it, e.g. `NVD`, `GITHUB`. */
  readonly source: string;
  readonly severity: Severity;
  readonly component: string;
  readonly version?: string;
  readonly purl?: string;
  readonly cvss?: number;
  /** What was decided about it, e.g. `NOT_AFFECTED`. */
  readonly state?: string;
};

/**
 * Reads one element of the list of findings, or gives undefined where it is none.
 * @see https://docs.dependencytrack.org/ (`GET /api/v1/finding/project/{uuid}`)
 */
export function readFinding(value: unknown): DashboardFinding | undefined {
  const { component, vulnerability, analysis } = objectOf(value);
  const { vulnId, source, severity, cvssV4Score, cvssV3BaseScore, cvssV2BaseScore } = objectOf(vulnerability);
  const { name, group, version, purl } = objectOf(component);
  const { state } = objectOf(analysis);
  if (typeof vulnId !== 'string' || typeof name !== 'string') return undefined;
  const cvss = [cvssV4Score, cvssV3BaseScore, cvssV2BaseScore].find((score) => typeof score === 'number');
  return {
    vulnerability: vulnId,
    source: typeof source === 'string' ? source : 'unknown',
    severity: severityOf(severity),
    component: typeof group === 'string' && group !== '' ? `${group}/${name}` : name,
    ...(typeof version === 'string' && { version }),
    ...(typeof purl === 'string' && { purl }),
    ...(cvss !== undefined && { cvss }),
    ...(typeof state === 'string' && { state }),
  };
}

/** The worst first, then by name. */
export function compareFindings(one: DashboardFinding, other: DashboardFinding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    compareTexts(one.component, other.component) ||
    compareTexts(one.version, other.version) ||
    compareTexts(one.vulnerability, other.vulnerability)
  );
}

/** Whether a finding is as bad as `threshold` or worse. */
export function isAtLeast(threshold: Severity, { severity }: DashboardFinding): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(threshold);
}

function severityOf(text: unknown): Severity {
  const severity = typeof text === 'string' ? (text.toLowerCase() as Severity) : 'unassigned';
  return SEVERITIES.includes(severity) ? severity : 'unassigned';
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
