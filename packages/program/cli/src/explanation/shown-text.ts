/** Characters of a value from outside that a person is shown; `--output json` has all of it. */
const MOST_CHARACTERS = 300;

/** A text as a person is shown it. */
export function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
