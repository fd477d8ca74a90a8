// In place of `node:module` where a bundled package makes a `require` of its own, to look for other packages in the
// folders above the program, which anybody may have written: it gets the one of the bundle, which knows built-in modules
// alone.
export const createRequire = (): NodeJS.Require => require;
