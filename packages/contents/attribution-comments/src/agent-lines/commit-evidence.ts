import {
  type BlamedLine,
  type Commit,
  type GitOptions,
  type Repository,
  readCommits,
  readFileAt,
  readNotes,
} from '@colophon/forge';
import { type CertificateIdentity, isAgentIdentity } from '@colophon/records';
import { type AgentEvidence, completedBy, evidenceOf } from '../comment/agent-evidence.ts';
import { AGENT_TRACE_FILE } from '../comment/agent-trace.ts';
import { type AgentMatcher, agentOfCommit } from '../comment/commit-agent.ts';
import { evidenceOfSigner } from '../comment/commit-signer.ts';
import { GIT_AI_NOTES, parseGitAiNote } from '../comment/git-ai-note.ts';
import { evidenceAt, type RangesByFile } from '../comment/line-range.ts';
import { readTraceFile } from '../comment/trace-file.ts';

/** Something that was found and cannot be used. */
export type EvidenceProblem = {
  readonly code: string;
  /** The commit, or the file and line, that it stands in. */
  readonly path: string;
  readonly message: string;
};

/** What is known of one commit. */
type KnownCommit = {
  /** The whole commit is by this agent; nothing weaker may take lines away. */
  readonly signer: AgentEvidence | undefined;
  /** What trailers, author or committer name. */
  readonly named: AgentEvidence | undefined;
  readonly noted: RangesByFile | undefined;
  readonly traced: RangesByFile;
};

type CommitSignature = NonNullable<Commit['signature']>;

/** The port to signatures that gitsign made. Both throw errors with a code. */
export type CommitSignatures = {
  /** Whom a signature names, by its certificate alone; `signature.malformed` is told as a problem. */
  readonly signerOf: (armoured: string) => CertificateIdentity;
  /** Throws where a signature does not hold; without pinned roots this is absent, and none is called verified. */
  readonly verify?: (signature: CommitSignature) => unknown;
};

export type EvidenceOptions = GitOptions & {
  readonly isOwnAgent: AgentMatcher;
  readonly signatures: CommitSignatures;
  /** The issuer that an agent's certificate must be of (contract §5.2). */
  readonly issuer: string | undefined;
};

/** Which agent wrote a line, by what the line's commit carries. Commits are read when they are first asked for. */
export class CommitEvidence {
  readonly problems: EvidenceProblem[] = [];
  readonly #repository: Repository;
  readonly #options: EvidenceOptions;
  readonly #commits = new Map<string, KnownCommit>();
  #notes: ReadonlyMap<string, Buffer> = new Map();
  /** By the commit that the records name. */
  #traces: ReadonlyMap<string, RangesByFile> = new Map();

  private constructor(repository: Repository, options: EvidenceOptions) {
    this.#repository = repository;
    this.#options = options;
  }

  /** @param at the commit whose Agent Trace records count. @throws ForgeError */
  static async open(repository: Repository, at: string, options: EvidenceOptions): Promise<CommitEvidence> {
    const evidence = new CommitEvidence(repository, options);
    evidence.#notes = await readNotes(repository, GIT_AI_NOTES, () => true, options);
    const traces = await readFileAt(repository.root, at, AGENT_TRACE_FILE, options);
    if (traces !== undefined) evidence.#addTraces(traces);
    return evidence;
  }

  /** Reads what these commits carry. @throws ForgeError */
  async load(commits: Iterable<string>): Promise<void> {
    const unknown = [...new Set(commits)].filter((sha) => !this.#commits.has(sha));
    for (const commit of await readCommits(this.#repository, unknown, this.#options)) {
      this.#commits.set(commit.sha, this.#read(commit));
    }
  }

  /** Whether anything says that an agent wrote some of a commit that was loaded. */
  hasAgent(sha: string): boolean {
    const known = this.#commits.get(sha);
    if (known === undefined) return false;
    const { signer, named, noted, traced } = known;
    return signer !== undefined || named !== undefined || noted !== undefined || traced.size > 0;
  }

  /** The agent that wrote a line, or undefined. Its commit was loaded. */
  evidenceOf({ commit, path, line }: BlamedLine): AgentEvidence | undefined {
    const known = commit === undefined ? undefined : this.#commits.get(commit);
    if (known === undefined) return undefined;
    const { signer, named, noted, traced } = known;
    if (signer !== undefined) return signer;
    // Ranges are more exact than what is said of the whole commit.
    if (noted !== undefined) {
      const found = evidenceAt(noted.get(path) ?? [], line);
      return found && completedBy(found, named);
    }
    const ranges = traced.get(path);
    if (ranges === undefined) return named;
    const found = evidenceAt(ranges, line);
    return found && completedBy(found, named);
  }

  #read(commit: Commit): KnownCommit {
    // What a clone's first commits did cannot be told from what was there before them.
    if (this.#repository.shallowCommits.has(commit.sha)) {
      return { signer: undefined, named: undefined, noted: undefined, traced: new Map() };
    }
    const named = agentOfCommit(commit, this.#options.isOwnAgent);
    const signer = this.#signerOf(commit);
    return {
      signer: signer && completedBy(signer, named),
      named,
      noted: this.#notedIn(commit.sha),
      traced: this.#tracedIn(commit),
    };
  }

  #signerOf({ sha, signature }: Commit): AgentEvidence | undefined {
    if (signature === undefined || !signature.armoured.includes('SIGNED MESSAGE')) return undefined;
    try {
      const identity = this.#options.signatures.signerOf(signature.armoured);
      if (!isAgentIdentity(identity)) return undefined;
      const problem = this.#verify(sha, signature, identity.issuer);
      return evidenceOfSigner(identity, problem === undefined);
    } catch (error) {
      if (!isCoded(error)) throw error;
      // What was not made by gitsign, such as a person's own X.509 certificate, is no business of ours.
      if (error.code === 'signature.malformed')
        this.problems.push({ code: error.code, path: sha, message: error.message });
      return undefined;
    }
  }

  /** Why the signature does not count as verified; undefined where it does. */
  #verify(sha: string, signature: CommitSignature, found: string): string | undefined {
    const { signatures, issuer: wanted } = this.#options;
    if (signatures.verify === undefined) return 'no trusted root';
    try {
      signatures.verify(signature);
      if (wanted === undefined || wanted === found) return undefined;
      throw Object.assign(new Error(`its certificate is by ${found}, not by ${wanted}`), {
        code: 'identity.issuer_mismatch',
      });
    } catch (error) {
      if (!isCoded(error)) throw error;
      this.problems.push({ code: error.code, path: sha, message: error.message });
      return error.code;
    }
  }

  /** A log without any agent's line takes nothing away from what the commit itself says. */
  #notedIn(sha: string): RangesByFile | undefined {
    const bytes = this.#notes.get(sha);
    if (bytes === undefined) return undefined;
    const note = parseGitAiNote(bytes);
    if (!note.ok) {
      for (const { code, message } of note.issues) this.problems.push({ code, path: sha, message });
      return undefined;
    }
    const hasAgent = [...note.value.values()].some((ranges) => ranges.some(({ evidence }) => evidence !== undefined));
    return hasAgent ? note.value : undefined;
  }

  /** Records of the commit itself, else those that were written while its parent was checked out. */
  #tracedIn({ sha, parents }: Commit): RangesByFile {
    const own = this.#traces.get(sha);
    if (own !== undefined) return own;
    const before = parents.map((parent) => this.#traces.get(parent)).find((traces) => traces !== undefined);
    return before ?? new Map();
  }

  #addTraces(bytes: Buffer): void {
    const { byRevision, problems } = readTraceFile(bytes, (said) => evidenceOf('agent-trace', said));
    this.#traces = byRevision;
    for (const { line, code, message } of problems) {
      this.problems.push({ code, path: `${AGENT_TRACE_FILE}:${line}`, message });
    }
  }
}

function isCoded(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'string';
}
