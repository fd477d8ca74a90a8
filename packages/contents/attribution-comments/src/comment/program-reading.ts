/** What a parser makes of a text. */
export type ProgramReading = {
  /**
   * All that is no comment, in the order and nesting of the tree: equal for two texts that differ in comments and in the
   * white space around them alone.
   */
  readonly shape: string;
  /** The text of each comment, in order; left out by a parser that does not tell. */
  readonly comments?: readonly string[];
};

/** The port to a parser. It answers undefined for a text that it cannot read as a whole, without any error. */
export type ProgramReader = (text: string) => ProgramReading | undefined;
