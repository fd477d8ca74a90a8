export {
  compileSubjectPattern,
  type InvalidSubjectPattern,
  isUnconstrained,
  MAX_PATTERN_LENGTH,
  MAX_SUBJECT_LENGTH,
  type SubjectPattern,
} from './subject-pattern/subject-pattern.ts';
