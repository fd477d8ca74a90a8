import type { CommentMarks } from './attribution-comment.ts';
import { LEXES, type Lexis } from './lexis.ts';

/** How a comment of one line is written in a kind of file, and what else one must know to put it somewhere. */
export type CommentSyntax = {
  /** The first pair is written, all are read. */
  readonly marks: readonly CommentMarks[];
  /** What a line can be in the middle of. */
  readonly lexis: Lexis;
  /** False where white space before a comment would mean something. */
  readonly isIndented: boolean;
  /** The parser that reads such a file; without one a comment is only proposed. */
  readonly parser?: ParserName;
};

/** Parsers that can prove where a comment is nothing but a comment. */
export const PARSER_NAMES = [
  'javascript',
  'typescript',
  'tsx',
  'python',
  'java',
  'go',
  'rust',
  'c',
  'yaml',
  'toml',
] as const;
/** One of {@link PARSER_NAMES}. */
export type ParserName = (typeof PARSER_NAMES)[number];

const SLASHES: CommentMarks = { open: '//', close: '' };
const STAR: CommentMarks = { open: '/*', close: '*/' };
const HASH: CommentMarks = { open: '#', close: '' };
const ANGLE: CommentMarks = { open: '<!--', close: '-->' };
const line = (open: string): CommentMarks => ({ open, close: '' });

function syntax(lexis: keyof typeof LEXES, marks: readonly CommentMarks[], isIndented = true): CommentSyntax {
  return { marks, lexis: LEXES[lexis], isIndented };
}

/** The same, read by a parser. */
function parsed(
  parser: ParserName,
  lexis: keyof typeof LEXES,
  marks: readonly CommentMarks[] = [SLASHES, STAR],
): CommentSyntax {
  return { ...syntax(lexis, marks), parser };
}

const C_LIKE = syntax('c', [SLASHES, STAR]);
// A compiler that is told to read C of 1990 knows no other form.
const C = parsed('c', 'c', [STAR, SLASHES]);
const CPP = syntax('cpp', [SLASHES, STAR]);
const JAVASCRIPT = parsed('javascript', 'script');
const TYPESCRIPT = parsed('typescript', 'script');
const PYTHON = parsed('python', 'python', [HASH]);
const SHELL = syntax('shell', [HASH]);
const MARKUP = syntax('markup', [ANGLE]);

/** By extension, in lower case. */
const BY_EXTENSION: Readonly<Record<string, CommentSyntax>> = {
  ...all('c h', C),
  ...all('m', C_LIKE),
  ...all('cc cpp cxx c++ hh hpp hxx ipp inl ino cu cuh mm metal hlsl glsl vert frag', CPP),
  ...all('js mjs cjs jsx', JAVASCRIPT),
  ...all('ts mts cts', TYPESCRIPT),
  ...all('tsx', parsed('tsx', 'script')),
  ...all('jsonc json5 prisma', C_LIKE),
  ...all('java', parsed('java', 'java')),
  ...all('go', parsed('go', 'go')),
  ...all('rs', parsed('rust', 'rust')),
  ...all('cs csx', syntax('csharp', [SLASHES, STAR])),
  ...all('kt kts scala sc sbt swift', syntax('kotlin', [SLASHES, STAR])),
  ...all('groovy gradle', syntax('groovy', [SLASHES, STAR])),
  ...all('dart', syntax('dart', [SLASHES, STAR])),
  ...all('proto thrift fbs', C_LIKE),
  ...all('sol d v sv svh as hx vala pike bicep', CPP),
  ...all('zig', syntax('zig', [SLASHES])),
  ...all('php phtml', syntax('php', [SLASHES, HASH, STAR])),
  ...all('css', syntax('css', [STAR])),
  ...all('scss less styl', syntax('css', [SLASHES, STAR])),
  ...all('py pyi pyw', PYTHON),
  ...all('pyx bzl star', syntax('python', [HASH])),
  ...all('rb rake gemspec ru', syntax('ruby', [HASH])),
  ...all('pl pm t', syntax('perl', [HASH])),
  ...all('sh bash zsh ksh ash bats', SHELL),
  ...all('fish', SHELL),
  ...all('ps1 psm1 psd1', syntax('powershell', [HASH])),
  ...all('r', syntax('quoted', [HASH])),
  ...all('jl', syntax('julia', [HASH])),
  ...all('ex exs', syntax('elixir', [HASH])),
  ...all('nim nims', syntax('nim', [HASH])),
  ...all('cr', syntax('ruby', [HASH])),
  ...all('coffee', syntax('python', [HASH])),
  ...all('awk tcl', SHELL),
  ...all('yaml yml', parsed('yaml', 'yaml', [HASH])),
  ...all('toml', parsed('toml', 'toml', [HASH])),
  ...all('ini cfg conf', syntax('lines', [HASH, line(';')])),
  ...all('properties env gitignore dockerignore editorconfig', syntax('lines', [HASH], false)),
  ...all('tf tfvars hcl nomad', syntax('terraform', [HASH, SLASHES])),
  ...all('nix', syntax('nix', [HASH])),
  ...all('cmake', syntax('cmake', [HASH])),
  ...all('mk mak', syntax('make', [HASH], false)),
  ...all('graphql gql', syntax('python', [HASH])),
  ...all('sql psql ddl', syntax('sql', [line('--'), STAR])),
  ...all('lua', syntax('lua', [line('--')])),
  ...all('hs', syntax('haskell', [line('--')])),
  ...all('elm purs', syntax('haskell', [line('--')])),
  ...all('adb ads vhd vhdl', syntax('single', [line('--')])),
  ...all('ml mli', syntax('ocaml', [{ open: '(*', close: '*)' }])),
  ...all('fs fsi fsx', syntax('fsharp', [SLASHES])),
  ...all('pas dpr pp', syntax('pascal', [SLASHES])),
  ...all('clj cljs cljc edn', syntax('lisp', [line(';;'), line(';')])),
  ...all('lisp lsp cl el scm ss rkt', syntax('lisp', [line(';;'), line(';')])),
  ...all('asm', syntax('lines', [line(';')])),
  ...all('erl hrl', syntax('erlang', [line('%%'), line('%')])),
  ...all('tex sty cls bib', syntax('tex', [line('%')])),
  ...all('f90 f95 f03 f08', syntax('single', [line('!')])),
  ...all('vb vbs bas', syntax('basic', [line("'")])),
  ...all('bat cmd', syntax('batch', [line('REM '), line('rem '), line('::')])),
  ...all('vim', syntax('lines', [line('"')])),
  ...all('html htm xhtml xml xsd xsl xslt svg plist csproj fsproj vbproj props targets vue svelte', MARKUP),
};

/** By the file's whole name, in lower case. */
const BY_NAME: Readonly<Record<string, CommentSyntax>> = {
  ...all('dockerfile containerfile', syntax('docker', [HASH])),
  ...all('makefile gnumakefile', syntax('make', [HASH], false)),
  ...all('cmakelists.txt', syntax('cmake', [HASH])),
  ...all('jenkinsfile', syntax('groovy', [SLASHES, STAR])),
  ...all('gemfile rakefile vagrantfile podfile fastfile brewfile', syntax('ruby', [HASH])),
  ...all('build workspace build.bazel workspace.bazel module.bazel', syntax('python', [HASH])),
  ...all('.bashrc .bash_profile .zshrc .profile', SHELL),
  ...all('.gitignore .gitattributes .dockerignore .editorconfig .env requirements.txt', syntax('lines', [HASH], false)),
  ...all('go.mod go.work', syntax('lines', [SLASHES])),
};

/** By the program in a file's first line. */
const BY_PROGRAM: ReadonlyArray<readonly [RegExp, CommentSyntax]> = [
  [/\b(?:ba|z|k|da|a)?sh\b|\bfish\b/, SHELL],
  [/\bpython/, PYTHON],
  [/\b(?:tsx|ts-node|deno|bun)\b/, TYPESCRIPT],
  [/\bnode\b/, JAVASCRIPT],
  [/\bruby\b/, syntax('ruby', [HASH])],
  [/\bperl\b/, syntax('perl', [HASH])],
  [/\bphp\b/, syntax('php', [SLASHES, HASH, STAR])],
  [/\blua/, syntax('lua', [line('--')])],
  [/\bRscript\b/, syntax('quoted', [HASH])],
  [/\b(?:awk|gawk|make)\b/, SHELL],
];

/** Files with an extension of a language that are nevertheless written by programs alone. */
const LOCK_FILES = new Set([
  'pnpm-lock.yaml',
  'yarn.lock',
  'poetry.lock',
  'uv.lock',
  'cargo.lock',
  'gemfile.lock',
  'go.sum',
]);

/**
 * How a comment is written in a file, by its name and, where that says nothing, by the program in its first line.
 * @returns undefined for a format that has no comments, or whose comments are not known
 */
export function commentSyntaxOf(path: string, firstLine = ''): CommentSyntax | undefined {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  if (LOCK_FILES.has(name)) return undefined;
  const byName = own(BY_NAME, name) ?? own(BY_NAME, /^(dockerfile|containerfile)\./.exec(name)?.[1] ?? '');
  if (byName !== undefined) return byName;
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1];
  if (extension !== undefined) {
    if (extension === 'dockerfile') return BY_NAME['dockerfile'];
    return own(BY_EXTENSION, extension);
  }
  if (!firstLine.startsWith('#!')) return undefined;
  return BY_PROGRAM.find(([program]) => program.test(firstLine))?.[1];
}

/** Every ending and whole name of files whose comments are known, with what reads them. */
export function commentFormats(): ReadonlyArray<{ readonly name: string; readonly parser?: ParserName }> {
  const endings = Object.entries(BY_EXTENSION).map(([ending, { parser }]) => ({ name: `.${ending}`, parser }));
  const names = Object.entries(BY_NAME).map(([name, { parser }]) => ({ name, parser }));
  return [...endings, ...names].map(({ name, parser }) => (parser === undefined ? { name } : { name, parser }));
}

/** What the comment is written with inside a `script` or `style` of a page. */
export const EMBEDDED_MARKS: readonly CommentMarks[] = [STAR, SLASHES];

function all(names: string, value: CommentSyntax): Record<string, CommentSyntax> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
