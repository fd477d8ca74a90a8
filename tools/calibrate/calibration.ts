import type { Language, Scales } from '@colophon/similarity';
import { type CorpusHalf, type Half, readCorpus } from './corpus.ts';
import { fitScale } from './fit-scale.ts';
import type { MeasuredPair } from './measured-pair.ts';
import { type Pasted, pasteFunctions } from './pasted.ts';
import { askIndex, drawStrangers, type Strangers } from './strangers.ts';

/** What was measured on one half of the projects of a language. */
export type Measured = {
  readonly corpus: Pick<CorpusHalf, 'projects' | 'forks'> & { readonly files: number };
  readonly strangers: readonly Strangers[];
  readonly asked: readonly Strangers[];
  readonly pasted: readonly Pasted[];
};

/** Scales found on one half, and what was measured on the other. */
export type Calibration = { readonly language: Language; readonly fitted: Scales; readonly keptBack: Measured };

/**
 * Calibrates one language on `folder/LANGUAGE/PROJECT/files`. The same files give the same numbers.
 * @param independent solutions of one task by several people, of the tuning half of the labelled projects
 */
export async function calibrate(
  folder: string,
  language: Language,
  independent: readonly MeasuredPair[],
): Promise<Calibration> {
  const { strangers, asked } = await measure(folder, language, 'tuning');
  const unrelated = { strangers, asked, independent: independent.map(({ measured }) => measured) };
  return {
    language,
    fitted: { runs: fitScale(unrelated, 'runs'), words: fitScale(unrelated, 'words') },
    keptBack: await measure(folder, language, 'keptBack'),
  };
}

async function measure(folder: string, language: Language, half: Half): Promise<Measured> {
  const corpus = await readCorpus(folder, language, half);
  return {
    corpus: { projects: corpus.projects, forks: corpus.forks, files: corpus.files.length },
    strangers: drawStrangers(corpus),
    asked: askIndex(corpus),
    // What is found has no say in the thresholds.
    pasted: half === 'keptBack' ? await pasteFunctions(corpus, language) : [],
  };
}
