import type { GrammarName } from '@colophon/similarity';

/** The parser's own WebAssembly, as the package and the path in it. */
export const PARSER_ASSET = 'web-tree-sitter/web-tree-sitter.wasm';

/** The WebAssembly of each grammar. */
export const GRAMMAR_ASSETS: Readonly<Record<GrammarName, string>> = {
  javascript: 'tree-sitter-javascript/tree-sitter-javascript.wasm',
  typescript: 'tree-sitter-typescript/tree-sitter-typescript.wasm',
  tsx: 'tree-sitter-typescript/tree-sitter-tsx.wasm',
  python: 'tree-sitter-python/tree-sitter-python.wasm',
  java: 'tree-sitter-java/tree-sitter-java.wasm',
  go: 'tree-sitter-go/tree-sitter-go.wasm',
  rust: 'tree-sitter-rust/tree-sitter-rust.wasm',
  c: 'tree-sitter-c/tree-sitter-c.wasm',
};
