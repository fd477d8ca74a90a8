import truncatedWidth from 'fast-string-truncated-width';

/** Columns of a terminal that a text takes: emoji and East Asian wide characters take two, combining marks none. */
export function displayWidth(text: string): number {
  return truncatedWidth(text).width;
}

/** The beginning of a text that is too wide, at most `width` columns with `ellipsis` behind it. */
export function cutToWidth(text: string, width: number, ellipsis = ''): string {
  const { index, truncated } = truncatedWidth(text, { limit: width, ellipsis });
  return truncated ? `${text.slice(0, index)}${ellipsis}` : text;
}

/** A text with blanks up to `width` columns. */
export function padToWidth(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(0, width - displayWidth(text)))}`;
}
