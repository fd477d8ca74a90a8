/** Milliseconds. */
export const DAY_MS = 86_400_000;

/** Days since 1970-01-01 of a day written `2021-12-10`; undefined for a day that the calendar does not have. */
export function dayNumber(text: string): number | undefined {
  // Without a pattern, as a report looks at millions of them.
  if (text.length !== 10 || text[4] !== '-' || text[7] !== '-') return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return undefined;
  return daysFromCivil(year, month, day);
}

/** The day that is so many days after 1970-01-01, as `2021-12-10`; years 0 to 9999. */
export function formatDay(number: number): string {
  const [year, month, day] = civilFromDays(number);
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

/** The number that these characters are; NaN where one of them is no digit. */
export function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The number with zeros before it. */
export function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}

// Years here begin with March, so that the leap day is a year's last, and 400 of them have 146,097 days.
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(number: number): readonly [year: number, month: number, day: number] {
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}
