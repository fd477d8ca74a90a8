/** What generators write into the first lines: Go's rule, protocol buffers, Thrift, ANTLR, bindgen, tree-sitter, setuptools-scm and others. */
const MARKS = [
  /^[ \t]*(?:\/\/|#|\/?\*|--|<!--|;).*\bDO NOT (?:EDIT|MODIFY)\b/m,
  /^[ \t]*(?:\/\/|#|\/?\*|--|<!--|;).*(?:@generated|\bauto-?(?:matically )?generated\b)/im,
  /^[ \t]*(?:\/\/|#|\/?\*).*\bgenerated (?:by|from)\b.*\b(?:protocol buffer|gRPC|protoc|Thrift|ANTLR|flatc|SWIG|setuptools[-_]scm|vcs-versioning)\b/im,
];
const PROBE_LENGTH = 2000;

/** Whether a file says in its first lines that a program wrote it. */
export function isGenerated(text: string): boolean {
  const head = text.slice(0, PROBE_LENGTH);
  return MARKS.some((mark) => mark.test(head));
}
