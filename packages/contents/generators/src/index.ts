export { type MadeDocument, makeDocument } from './generator/make-document.ts';
export { fullImageName, parseTarget } from './generator/target.ts';
export { GeneratorError, type GeneratorErrorCode } from './generator-error/generator-error.ts';
export { findProgram } from './program/find-program.ts';
export { programEnvironment } from './program/program-environment.ts';
export { type ProgramEnd, runProgram } from './program/run-program.ts';
