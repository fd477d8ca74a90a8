import type { Finding } from '@colophon/records';

/** True where everybody who lists a finding says that it does not count; not where nobody says who listed it. */
export function isUncounted({ reportedBy }: Pick<Finding, 'reportedBy'>): boolean {
  return reportedBy.length > 0 && reportedBy.every(({ suppressed }) => suppressed !== undefined);
}
