/** What begins with `open` and goes on to `close`. */
export type Delimiter = {
  readonly open: string;
  readonly close: string;
  /** The next character does not count. */
  readonly escape?: string;
  /** Ends with its line at the latest. */
  readonly isOneLine?: boolean;
  /** Holds others of its kind. */
  readonly isNested?: boolean;
};

/** What a reader must know of a language to tell code from text and comments; not a grammar. */
export type Lexis = {
  /** What makes the rest of a line a comment. */
  readonly lineComments: readonly string[];
  /** Strings and comments with an end, longer openings first. */
  readonly delimiters: readonly Delimiter[];
  /** What stands for itself in code though it looks like the beginning of a string; must be anchored and sticky. */
  readonly literals?: RegExp;
  /** Texts that go on to a line of their own: `<<EOF`. The first group is the mark, the last line has it alone. */
  readonly heredoc?: RegExp;
  /** A line comment counts only at the beginning of a word, as in a shell. */
  readonly commentsAtWords?: boolean;
  /** Indentation says how long a text goes on, as in YAML. */
  readonly longScalars?: boolean;
  /** Pages: what is between tags is text. */
  readonly isMarkup?: boolean;
  /** Everything up to here is text. */
  readonly beginning?: string;
  /** The line that begins and ends what stands above the file itself, for tools of other kinds. */
  readonly frontMatter?: string;
  /** Tools read what the first comment of a file says. */
  readonly docblock?: boolean;
  /** The character at the end of a line that joins the next to it. */
  readonly continuation?: string;
};

const DOUBLE: Delimiter = { open: '"', close: '"', escape: '\\', isOneLine: true };
const SINGLE: Delimiter = { open: "'", close: "'", escape: '\\', isOneLine: true };
const LONG_DOUBLE: Delimiter = { open: '"', close: '"', escape: '\\' };
const LONG_SINGLE: Delimiter = { open: "'", close: "'", escape: '\\' };
const TRIPLE_DOUBLE: Delimiter = { open: '"""', close: '"""', escape: '\\' };
const TRIPLE_SINGLE: Delimiter = { open: "'''", close: "'''", escape: '\\' };
const BACKTICK: Delimiter = { open: '`', close: '`', escape: '\\' };
const STAR: Delimiter = { open: '/*', close: '*/' };
const NESTED_STAR: Delimiter = { ...STAR, isNested: true };
const doubled = (mark: string): Delimiter => ({ open: mark, close: mark });

const CHARACTER = /'(?:\\[^\n]{1,10}?|[^\\'\n])'/y;
const SHELL_HEREDOC = /<<[-~]?[ \t]*(?:\\)?["']?([A-Za-z_][A-Za-z0-9_]*)["']?/y;

/** By family of languages. */
export const LEXES = {
  /** Comments that begin a line, and no text over several lines. */
  lines: { lineComments: [], delimiters: [] },
  c: { lineComments: ['//'], delimiters: [STAR, DOUBLE, SINGLE], continuation: '\\' },
  cpp: {
    lineComments: ['//'],
    delimiters: [STAR, { open: 'R"(', close: ')"' }, { ...doubled('"""'), escape: '\\' }, DOUBLE, SINGLE],
    heredoc: /R"([A-Za-z_][A-Za-z0-9_]*)\(/y,
    continuation: '\\',
  },
  script: { lineComments: ['//'], delimiters: [STAR, DOUBLE, SINGLE, BACKTICK], docblock: true },
  java: { lineComments: ['//'], delimiters: [STAR, TRIPLE_DOUBLE, DOUBLE, SINGLE] },
  go: { lineComments: ['//'], delimiters: [STAR, doubled('`'), DOUBLE, SINGLE] },
  rust: {
    lineComments: ['//'],
    delimiters: [
      NESTED_STAR,
      { open: 'r##"', close: '"##' },
      { open: 'r#"', close: '"#' },
      { open: 'r"', close: '"' },
      LONG_DOUBLE,
    ],
    literals: CHARACTER,
  },
  csharp: {
    lineComments: ['//'],
    delimiters: [
      STAR,
      doubled('"""'),
      { open: '$@"', close: '"' },
      { open: '@$"', close: '"' },
      { open: '@"', close: '"' },
      DOUBLE,
    ],
    literals: CHARACTER,
  },
  kotlin: { lineComments: ['//'], delimiters: [NESTED_STAR, doubled('"""'), DOUBLE, BACKTICK], literals: CHARACTER },
  groovy: {
    lineComments: ['//'],
    delimiters: [STAR, TRIPLE_DOUBLE, TRIPLE_SINGLE, { open: '$/', close: '/$' }, DOUBLE, SINGLE],
  },
  dart: { lineComments: ['//'], delimiters: [NESTED_STAR, TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE] },
  // A line that begins with two backslashes goes on with the text of the one above.
  zig: { lineComments: ['//', '\\\\'], delimiters: [DOUBLE], literals: CHARACTER },
  php: {
    lineComments: ['//', '#'],
    beginning: '<?',
    delimiters: [STAR, { open: '?>', close: '<?' }, LONG_DOUBLE, LONG_SINGLE, BACKTICK],
    heredoc: /<<<[ \t]*["']?([A-Za-z_][A-Za-z0-9_]*)["']?/y,
  },
  css: { lineComments: [], delimiters: [STAR, DOUBLE, SINGLE], continuation: '\\', frontMatter: '---' },
  python: {
    lineComments: ['#'],
    delimiters: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    continuation: '\\',
    frontMatter: '# ---',
  },
  ruby: {
    lineComments: ['#'],
    delimiters: [
      { open: '\n=begin', close: '\n=end' },
      { open: '\n__END__', close: '\0' },
      LONG_DOUBLE,
      LONG_SINGLE,
      BACKTICK,
    ],
    heredoc: /<<[-~]["']?([A-Za-z_][A-Za-z0-9_]*)["']?/y,
    commentsAtWords: true,
    continuation: '\\',
  },
  perl: {
    lineComments: ['#'],
    delimiters: [
      { open: '\n__END__', close: '\0' },
      { open: '\n__DATA__', close: '\0' },
      { open: '\n=', close: '\n=cut' },
      LONG_DOUBLE,
      LONG_SINGLE,
    ],
    heredoc: /<<~?["']?([A-Za-z_][A-Za-z0-9_]*)["']?/y,
    commentsAtWords: true,
  },
  shell: {
    lineComments: ['#'],
    delimiters: [LONG_DOUBLE, { open: "'", close: "'" }],
    literals: /\\./y,
    heredoc: SHELL_HEREDOC,
    commentsAtWords: true,
    continuation: '\\',
  },
  docker: { lineComments: [], delimiters: [], heredoc: SHELL_HEREDOC, continuation: '\\' },
  powershell: {
    lineComments: ['#'],
    delimiters: [
      { open: '<#', close: '#>' },
      { open: '@"\n', close: '\n"@' },
      { open: "@'\n", close: "\n'@" },
      { open: '@"\r\n', close: '\n"@' },
      { open: "@'\r\n", close: "\n'@" },
      { open: '"', close: '"', escape: '`' },
      { open: "'", close: "'" },
    ],
    literals: /`./y,
    continuation: '`',
  },
  quoted: { lineComments: ['#'], delimiters: [LONG_DOUBLE, LONG_SINGLE, doubled('`')] },
  julia: {
    lineComments: ['#'],
    delimiters: [{ open: '#=', close: '=#', isNested: true }, TRIPLE_DOUBLE, LONG_DOUBLE],
    literals: CHARACTER,
  },
  elixir: { lineComments: ['#'], delimiters: [TRIPLE_DOUBLE, TRIPLE_SINGLE, LONG_DOUBLE, LONG_SINGLE] },
  nim: {
    lineComments: ['#'],
    delimiters: [{ open: '#[', close: ']#', isNested: true }, doubled('"""'), DOUBLE],
    literals: CHARACTER,
  },
  yaml: { lineComments: ['#'], delimiters: [LONG_DOUBLE, doubled("'")], commentsAtWords: true, longScalars: true },
  toml: {
    lineComments: ['#'],
    delimiters: [TRIPLE_DOUBLE, doubled("'''"), DOUBLE, { ...doubled("'"), isOneLine: true }],
  },
  terraform: { lineComments: ['#', '//'], delimiters: [STAR, DOUBLE], heredoc: /<<-?([A-Za-z_][A-Za-z0-9_]*)/y },
  nix: { lineComments: ['#'], delimiters: [STAR, { open: "''", close: "''" }, LONG_DOUBLE] },
  cmake: { lineComments: ['#'], delimiters: [{ open: '#[[', close: ']]' }, { open: '[[', close: ']]' }, LONG_DOUBLE] },
  make: {
    lineComments: ['#'],
    delimiters: [
      { open: '\ndefine ', close: '\nendef' },
      { open: '\noverride define ', close: '\nendef' },
      { open: '\nexport define ', close: '\nendef' },
    ],
    continuation: '\\',
  },
  sql: {
    lineComments: ['--'],
    delimiters: [STAR, doubled("'"), doubled('"'), { open: '$$', close: '$$' }, { open: '$body$', close: '$body$' }],
  },
  lua: {
    lineComments: ['--'],
    delimiters: [
      { open: '--[[', close: ']]' },
      { open: '--[=[', close: ']=]' },
      { open: '[[', close: ']]' },
      { open: '[=[', close: ']=]' },
      DOUBLE,
      SINGLE,
    ],
  },
  haskell: {
    lineComments: ['--'],
    delimiters: [{ open: '{-', close: '-}', isNested: true }, TRIPLE_DOUBLE, { open: '[r|', close: '|]' }, DOUBLE],
    literals: CHARACTER,
    continuation: '\\',
  },
  single: { lineComments: ['--', '!'], delimiters: [DOUBLE], literals: CHARACTER, continuation: '&' },
  ocaml: {
    lineComments: [],
    delimiters: [{ open: '(*', close: '*)', isNested: true }, { open: '{|', close: '|}' }, LONG_DOUBLE],
    literals: CHARACTER,
  },
  fsharp: {
    lineComments: ['//'],
    delimiters: [{ open: '(*', close: '*)', isNested: true }, doubled('"""'), LONG_DOUBLE],
    literals: CHARACTER,
  },
  pascal: {
    lineComments: ['//'],
    delimiters: [
      { open: '(*', close: '*)' },
      { open: '{', close: '}' },
      { ...doubled("'"), isOneLine: true },
    ],
  },
  lisp: {
    lineComments: [';'],
    delimiters: [{ open: '#|', close: '|#', isNested: true }, LONG_DOUBLE],
    literals: /\\.|#\\./y,
  },
  erlang: {
    lineComments: ['%'],
    delimiters: [TRIPLE_DOUBLE, LONG_DOUBLE, { ...LONG_SINGLE, isOneLine: true }],
    literals: /\$\\?./y,
  },
  tex: {
    lineComments: ['%'],
    delimiters: [
      { open: '\\begin{verbatim}', close: '\\end{verbatim}' },
      { open: '\\begin{lstlisting}', close: '\\end{lstlisting}' },
    ],
    literals: /\\%/y,
  },
  basic: { lineComments: ["'"], delimiters: [{ ...doubled('"'), isOneLine: true }], continuation: '_' },
  batch: { lineComments: [], delimiters: [], continuation: '^' },
  markup: {
    lineComments: [],
    delimiters: [
      { open: '<!--', close: '-->' },
      { open: '<![CDATA[', close: ']]>' },
      { open: '<textarea', close: '</textarea>' },
      { open: '<title', close: '</title>' },
      { open: '<pre', close: '</pre>' },
      { open: '<?', close: '?>' },
      { open: '{{', close: '}}' },
    ],
    isMarkup: true,
    frontMatter: '---',
  },
} as const satisfies Record<string, Lexis>;
