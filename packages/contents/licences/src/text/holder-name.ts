import { spdxId } from '../spdx/spdx-list.ts';
import { hasJoinedWords, isDisguised } from './disguised-word.ts';

/** Words that grant, forbid or demand: no holder of a copyright has them in the name. */
const TERMS = new Set(
  (
    'not no none nor never without except excluding unless only must shall may can cannot should will would if provided ' +
    'condition conditions term terms permission permissions permitted permit allowed allow forbid forbidden prohibited ' +
    'prohibits restrict restricted restriction restrictions use used uses using usage sell sold selling sale sales resale ' +
    'resell rent lease commercial commercially noncommercial noncommercially evil harm military weapon weapons derivative ' +
    'derivatives modify modification distribute distributed distributing distribution redistribute redistribution copy copies ' +
    'copying reproduce license licensed licenses licensee sublicense warranty warranties liability grant granted grants ' +
    'rights right pay payment paid fee fees royalty royalties charge purpose purposes agree agreement require requires ' +
    'required requirement proprietary confidential secret internal personal private privately educational evaluation trial ' +
    'shareware patent patents gpl lgpl agpl gnu copyleft nonexclusive exclusive approval approved consent written ' +
    'production competing compete competitor competitors hosting hosted refrain disclose obtain offer offered exclusively solely pays freeware due interest payable cost costs have has had be been being was were sent send each every any that which who when where until ends you your we our they their user users licensees applies apply attribution display commons clause share excepted excluded ' +
    'unlawful illegal authorized authorised unauthorized ' +
    'nicht nur kein keine keinen ohne verboten untersagt nutzung verwendung kommerziell kommerzielle kommerzieller ' +
    'kommerziellen nichtkommerziell nichtkommerzielle privat ne pas non interdit interdite interdits sauf sans utilisation ' +
    'commerciale commercial usage solo sólo uso prohibido prohibida comercial comerciales sin salvo vietato vietata senza ' +
    'απαγορεύεται εμπορική εμπορικής χρήση χωρίς όχι μόνο заборонено комерційне комерційного zakaz zakazane zabronione komercyjne ' +
    'komercyjnego użytku użycie wykorzystania bez ticari kullanım yasak yasaktır yasaktir kielletty kaupallinen käyttö förbjudet ' +
    'kommersiell forbudt kommerciel zakázáno komerční užití cấm thương mại dilarang komersial արգելված առևտրային ' +
    'commerciale não nao proibido proibida apenas somente sem niet geen alleen verboden gebruik commercieel'
  ).split(' '),
);
/** Parts of words, for what is written without blanks. */
const TERMS_WITHOUT_BLANKS =
  /[禁仅僅限不得勿]|ห้าม|除外|授权|授權|商用|商業|商业|無断|금지|상업|запрещ|только|коммерч|нельзя|ហាម|ຫ້າມ|တားမြစ်/iu;
const MOST_NAME_WORDS = 25;
const LONGEST_WORD = 200;
/** An abbreviation, an initial or a number, after which no sentence ends. */
const NO_SENTENCE_END =
  /(?:^|[^\p{L}\p{N}])(?:inc|ltd|co|corp|llc|pty|gmbh|jr|sr|dr|st|al|etc|s\.a|\p{L}|\p{N}{1,4}|\S*@\S*|\S+\.\S+)$/iu;

/** Small words in the names of people and organisations, and around them. */
const NAME_WORDS = new Set(
  (
    'a an and or by the of other others its et al de van von der den la le du da di dos del bin ibn inc ltd llc corp gmbh co ' +
    'foundation project projects team teams community affiliates subsidiaries at in from see file files list listed found ' +
    'complete here these people authors author contributors contributor maintainers maintainer developers members ' +
    'committers repository original portions parts some modifications software code documentation present year years all ' +
    'rights reserved copyright copyrighted c holder holders name names owner is are based on various created written'
  ).split(' '),
);
/** Of other small words a name has at most so many: `npm`, somebody's handle. */
const MOST_SMALL_WORDS = 2;

/**
 * Whether some words name persons or organisations, and say nothing about what may be done: not too many, in one
 * sentence, none that grants, forbids or demands, and hardly one in small letters.
 */
export function isHolderName(words: readonly string[], source: string): boolean {
  let count = 0;
  let isNamed = false;
  for (const [index, word] of words.entries()) {
    if (SAID_BESIDE.some((phrase) => isWithin(words, index, phrase))) continue;
    if (word.length > LONGEST_WORD) return false;
    const isName: boolean = TERMS_THAT_ARE_NAMES.has(word) && !isNamed && isTitleCase(word, source);
    isNamed ||= isName;
    if ((TERMS.has(word) && !isName) || LICENCE_NAME.test(word) || isDisguised(word, TERMS)) return false;
    if (!/^\d+$/.test(word)) count++;
  }
  if (TERMS_WITHOUT_BLANKS.test(source) || hasJoinedWords(source, TERMS) || hasLicenceId(source)) return false;
  return count <= MOST_NAME_WORDS && smallWords(source) <= MOST_SMALL_WORDS && isOneSentence(source);
}

/** Will McGugan, Evan You, Theresa May: one of these, written as a name, demands nothing without another term. */
const TERMS_THAT_ARE_NAMES = new Set(['will', 'you', 'may', 'due']);

function isTitleCase(word: string, source: string): boolean {
  const name = word.charAt(0).toUpperCase() + word.slice(1);
  return new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'u').test(source);
}

const LICENCE_NAME =
  /^(?:gnu)?[al]?gpl|^cc(?:by|nc)|^(?:busl|cddl|cecill|eupl|polyform|sspl)|non?commerc|commercialuse|notfor|prohibited|forbidden|copyleft/;

const LONGEST_ID = 80;

/** `EUPL-1.2`. Without a hyphen and a number an id may be a name: `MIT`, `Intel`. */
function hasLicenceId(source: string): boolean {
  const parts = source.match(/[A-Za-z0-9.+-]+/g) ?? [];
  return parts.some((part) => {
    const id = part.length > LONGEST_ID ? '' : part.replace(/[.-]+$/, '');
    return /-/.test(id) && /\d/.test(id) && spdxId(id) !== undefined;
  });
}

/** `<dana [at] example (dot) com>`, hidden from those who gather addresses. */
const HIDDEN_ADDRESS =
  /<\s*[\w.+-]{1,64}\s*[[({]?\s*at\s*[\])}]?\s*[\w-]{1,64}(?:\s*(?:[[({]?\s*dot\b\s*[\])}]?|\.)\s*[\w-]{1,64}){1,3}\s*>/giu;
/** `(python-dotenv)`, after a name. */
const PROJECT_NAME = /\([a-z][\w.-]{0,40}\)/gu;
const SEE_ALSO = /\bsee (?:the )?(?:\w+ )?[A-Z]+(?:\.\w+)? (?:file )?for (?:more )?(?:details|information)\b/gu;

function smallWords(source: string): number {
  const said = source.replace(HIDDEN_ADDRESS, ' ').replace(SEE_ALSO, ' ').replace(PROJECT_NAME, ' ');
  const parts = said.match(/[\p{L}\p{N}][^\s()<>[\]{},;"“”]*/gu) ?? [];
  return parts.filter((part) => {
    const isAddress = /[@/#]|[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(part);
    return (
      !isAddress &&
      !/^[\p{Lu}\p{N}]/u.test(part) &&
      !NAME_WORDS.has(part.toLowerCase().replace(/[^\p{L}\p{N}].*$/u, ''))
    );
  }).length;
}

/** Said beside names, and changes nothing. */
const SAID_BESIDE = [
  ['all', 'rights', 'reserved'],
  ['can', 'be', 'found', 'at'],
];

function isWithin(words: readonly string[], index: number, phrase: readonly string[]): boolean {
  return phrase.some((_, offset) => phrase.every((word, at) => words[index - offset + at] === word));
}

function isOneSentence(source: string): boolean {
  for (const { index } of source.matchAll(/[.;!?](?=\s+[\p{L}\p{N}("'<])/gu)) {
    if (
      /^[.;!?]\s+(?:all\s+rights\s+reserved|(?:portions|modifications|parts)?[\s,:]*copyright)\b/i.test(
        source.slice(index),
      )
    )
      continue;
    if (/\ball\s+rights\s+reserved$/i.test(source.slice(0, index))) continue;
    // Yahoo! Inc.
    if (source[index] === '!' && /^!\s+inc\b/i.test(source.slice(index))) continue;
    if (source[index] !== '.' || !NO_SENTENCE_END.test(source.slice(Math.max(0, index - 80), index))) return false;
  }
  return true;
}

/** What makes a line one that says who holds the copyright, or who wrote it. */
const MARKER =
  /\b(?:copyright(?:ed|s)?|copr)\b|\(c\)(?=[\s\d])|©|^[^\p{L}\p{N}]*(?:(?:portions|written|created|developed|maintained)\s+)?by\b|\b(?:authors?|contributors?|maintainers?)(?:\s*[\]:(<]|\s+(?:can be found|listed|[\d]))/iu;
const MARKED_BEFORE = /^[^\p{L}\p{N}]*(?:copyright|\(c\)|©)(?:[\s\d,©-]|\(c\))*$/iu;
const MARKER_WORDS = new Set(['copyright', 'copyrighted', 'copyrights', 'c', 'copr', 'present']);

/** A line of a text. */
export type TextLine = {
  readonly words: readonly string[];
  readonly source: string;
  /** What stands before it on its line and is known already. */
  readonly before: string;
};
/** What may stand around a licence without being a term. */
export type Surroundings = {
  isTitle(words: readonly string[]): boolean;
  /** Words of licences' names, which no name of a project has here. */
  readonly licenceNames: ReadonlySet<string>;
  /** One line may name the project: at the head of a text. */
  readonly mayBeHeaded: boolean;
};

/** The lines that may be terms: those that are no title or heading and do not say who holds the copyright. */
export function linesWithTerms<Line extends TextLine>(lines: readonly Line[], around: Surroundings): Line[] {
  const others: Line[] = [];
  let statement: TextLine | undefined;
  let mayBeHeading = around.mayBeHeaded;
  for (const line of lines) {
    const { words, source } = line;
    if (words.length === 0 || around.isTitle(words) || words.join(' ') === 'all rights reserved') {
      statement = undefined;
      continue;
    }
    const isMarked = MARKER.test(source) || MARKED_BEFORE.test(line.before);
    const before = isMarked ? undefined : statement;
    const names = words.filter((word) => !MARKER_WORDS.has(word));
    const whole = {
      words: [...(before?.words ?? []), ...names],
      source: `${before?.source ?? ''} ${source}`,
      before: '',
    };
    if ((isMarked || before !== undefined) && isHolderName(whole.words, whole.source)) statement = whole;
    else if (mayBeHeading && isHeading(line, around.licenceNames)) mayBeHeading = false;
    else others.push(line);
  }
  return others;
}

const MOST_HEADING_WORDS = 6;
const SMALL_WORDS = new Set('a an the of for in to with and library package module driver client framework'.split(' '));

/** `Blackfriday`, `BSON library for Go`: the name of a project, in capitals or with a dot, and no licence's. */
function isHeading({ words, source }: TextLine, licenceNames: ReadonlySet<string>): boolean {
  if (words.length > MOST_HEADING_WORDS || words.some((word) => licenceNames.has(word)) || /[.!?;:]\s*$/.test(source))
    return false;
  const parts = source.match(/[\p{L}\p{N}][\p{L}\p{N}._/@'-]*/gu) ?? [];
  const isNamed = parts.every((part) => /^\p{Lu}|[./\d]/u.test(part) || SMALL_WORDS.has(part));
  return isNamed && isHolderName(words, source);
}
