const PARTS = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)Z$/;

/** Seconds since 1970 of a time, RFC 3339 in UTC; not a number where it is none. Days are those of the Gregorian calendar. */
export function timestampSeconds(time: string): number {
  const [year = Number.NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (PARTS.exec(time) ?? [])
    .slice(1)
    .map(Number);
  // Years that begin in March have their leap day at the end, and months of the same pattern of lengths throughout.
  const years = month > 2 ? year : year - 1;
  const monthsSinceMarch = (month + 9) % 12;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const days = years * 365 + leapDays + Math.floor((153 * monthsSinceMarch + 2) / 5) + day - 1 - 719_468;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}
