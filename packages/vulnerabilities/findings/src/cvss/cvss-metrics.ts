/** The versions of CVSS in which vulnerabilities are scored. */
export const CVSS_VERSIONS = ['4.0', '3.1', '3.0', '2.0'] as const;
export type CvssVersion = (typeof CVSS_VERSIONS)[number];

/** What one version has: by metric, the values that it may take. */
export type CvssMetrics = {
  /** Each must stand in a vector. */
  readonly base: Readonly<Record<string, readonly string[]>>;
  /** Threat, environment and what is told besides; each may stand in a vector. */
  readonly others: Readonly<Record<string, readonly string[]>>;
};

/** One letter a value. */
function letters(values: string): readonly string[] {
  return [...values];
}

/** The same metrics, as somebody finds them in their own environment: `M` before the name, and `X` for as it was. */
function modified(
  base: CvssMetrics['base'],
  more: Readonly<Record<string, readonly string[]>> = {},
): CvssMetrics['others'] {
  return Object.fromEntries(
    Object.entries(base).map(([metric, values]) => [`M${metric}`, ['X', ...values, ...(more[metric] ?? [])]]),
  );
}

const V2 = {
  base: {
    AV: letters('LAN'),
    AC: letters('HML'),
    Au: letters('MSN'),
    C: letters('NPC'),
    I: letters('NPC'),
    A: letters('NPC'),
  },
  others: {
    E: ['ND', 'U', 'POC', 'F', 'H'],
    RL: ['ND', 'OF', 'TF', 'W', 'U'],
    RC: ['ND', 'UC', 'UR', 'C'],
    CDP: ['ND', 'N', 'L', 'LM', 'MH', 'H'],
    TD: ['ND', 'N', 'L', 'M', 'H'],
    CR: ['ND', 'L', 'M', 'H'],
    IR: ['ND', 'L', 'M', 'H'],
    AR: ['ND', 'L', 'M', 'H'],
  },
} as const satisfies CvssMetrics;

const V3_BASE = {
  AV: letters('NALP'),
  AC: letters('LH'),
  PR: letters('NLH'),
  UI: letters('NR'),
  S: letters('UC'),
  C: letters('HLN'),
  I: letters('HLN'),
  A: letters('HLN'),
} as const;

const V3 = {
  base: V3_BASE,
  others: {
    E: letters('XUPFH'),
    RL: letters('XOTWU'),
    RC: letters('XURC'),
    CR: letters('XLMH'),
    IR: letters('XLMH'),
    AR: letters('XLMH'),
    ...modified(V3_BASE),
  },
} as const satisfies CvssMetrics;

const V4_BASE = {
  AV: letters('NALP'),
  AC: letters('LH'),
  AT: letters('NP'),
  PR: letters('NLH'),
  UI: letters('NPA'),
  VC: letters('HLN'),
  VI: letters('HLN'),
  VA: letters('HLN'),
  SC: letters('HLN'),
  SI: letters('HLN'),
  SA: letters('HLN'),
} as const;

const V4 = {
  base: V4_BASE,
  others: {
    E: letters('XAPU'),
    CR: letters('XHML'),
    IR: letters('XHML'),
    AR: letters('XHML'),
    // Only an environment can be one in which people come to harm.
    ...modified(V4_BASE, { SI: ['S'], SA: ['S'] }),
    S: letters('XNP'),
    AU: letters('XNY'),
    R: letters('XAUI'),
    V: letters('XDC'),
    RE: letters('XLMH'),
    U: ['X', 'Clear', 'Green', 'Amber', 'Red'],
  },
} as const satisfies CvssMetrics;

/**
 * The metrics of each version.
 * @see FIRST, CVSS v2.0 §2, v3.0 and v3.1 §6, v4.0 §7
 */
export const CVSS_METRICS: Readonly<Record<CvssVersion, CvssMetrics>> = { '2.0': V2, '3.0': V3, '3.1': V3, '4.0': V4 };
