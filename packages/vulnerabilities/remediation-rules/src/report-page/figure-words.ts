import type { Figure } from '../report/report-details.ts';

/** What a figure is called, and what it counts. */
export type FigureWords = { readonly title: string; readonly meaning: string };

export const FIGURE_WORDS: Readonly<Record<Figure, FigureWords>> = {
  total_cves_discovered: {
    title: 'CVEs discovered',
    meaning:
      'CVEs of which the first record was discovered in the period. Several components with one CVE are one CVE.',
  },
  'cves_by_severity.critical': {
    title: 'Critical',
    meaning: 'Discovered CVEs whose highest severity in any component is critical.',
  },
  'cves_by_severity.high': {
    title: 'High',
    meaning: 'Discovered CVEs whose highest severity in any component is high.',
  },
  'cves_by_severity.medium': {
    title: 'Medium',
    meaning: 'Discovered CVEs whose highest severity in any component is medium.',
  },
  'cves_by_severity.low': { title: 'Low', meaning: 'All other discovered CVEs, those without any severity too.' },
  'cve_sources.cisa_kev': {
    title: 'Known to be exploited',
    meaning: 'Discovered CVEs that stand in the CISA catalog of known exploited vulnerabilities.',
  },
  'cve_sources.nvd_only': { title: 'Not in that catalog', meaning: 'All other discovered CVEs.' },
  'remediation_metrics.patched_within_sla': {
    title: 'Patched in time',
    meaning:
      'Deployed in the period, everywhere, within the target days of the CVE’s severity; shown by a scan of a newer SBOM.',
  },
  'remediation_metrics.patched_out_of_sla': {
    title: 'Patched late',
    meaning: 'Deployed in the period everywhere, and at least one component took longer than the target.',
  },
  'remediation_metrics.marked_not_affected_with_vex': {
    title: 'Not affected',
    meaning: 'Settled in the period, in every component, by a VEX statement with a justification.',
  },
  'remediation_metrics.still_pending': {
    title: 'Still pending',
    meaning: 'Open in at least one component on the last day that counts.',
  },
  'remediation_metrics.sla_compliance_rate': {
    title: 'SLA compliance rate',
    meaning: 'Patched in time, as a share of everything that was due: patched in time, patched late, and overdue.',
  },
  'sla_by_severity.critical': {
    title: 'Critical',
    meaning: 'Days from discovery to deployment, or so far where it is overdue. Target: 1 day.',
  },
  'sla_by_severity.high': {
    title: 'High',
    meaning: 'Days from discovery to deployment, or so far where it is overdue. Target: 7 days.',
  },
  'sla_by_severity.medium': {
    title: 'Medium',
    meaning: 'Days from discovery to deployment, or so far where it is overdue. Target: 30 days.',
  },
  in_period: { title: 'CVEs in this report', meaning: 'CVEs that were open at some time in the period.' },
  carried_over: {
    title: 'Carried over',
    meaning:
      'CVEs discovered before the period and still open when it began. They count under remediation, and not as discovered.',
  },
  overdue: {
    title: 'Overdue',
    meaning:
      'Pending CVEs of which a component took, or has taken so far, longer than the target. They count as breaches now.',
  },
  not_overdue: {
    title: 'Pending, not overdue',
    meaning: 'Pending CVEs whose target days are not over, or whose severity has no target.',
  },
  without_severity: {
    title: 'Without a severity',
    meaning: 'Discovered CVEs that nobody has scored, or that are scored zero; counted under low.',
  },
  unproven: {
    title: 'Closed without a patch or a statement',
    meaning: 'Accepted, or closed in another way that the report has no figure for; counted as pending.',
  },
};
