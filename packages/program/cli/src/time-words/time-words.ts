/** A time for people: RFC 3339 as it is, without parts of a second. */
export function wholeSeconds(time: string): string {
  return time.replace(/(:\d\d)\.\d+/, '$1');
}
