import type { IncomingMessage } from 'node:http';
import { type AnswerSink, answerBody } from '../answer/answer-body.ts';
import type { AnswerFacts } from '../answer/answer-facts.ts';
import { mayHaveBegun, mayHoldAnswer } from '../answer/error-answer.ts';
import type { ByteAllowance } from '../body/byte-allowance.ts';
import { tapBody } from '../body/decoded-body.ts';
import { textBody, UNREAD } from '../body/json-body.ts';
import { type Endpoint, WIRE_FORMATS, type WireFormat } from '../endpoint/endpoint.ts';
import type { ObservedAnswer } from '../observed-run/observations.ts';
import type { ObservedRun, UnderWay } from '../observed-run/observed-run.ts';
import {
  containsPrompt,
  type ModelRequest,
  mayAnswerElsewhere,
  promptOf,
  readModelRequest,
} from '../request/model-request.ts';
import { PART, requestBody } from '../request/request-body.ts';

/** A request to a model as it was sent, without its headers. */
export type SentRequest = { readonly upstream: string; readonly endpoint: string; readonly body: unknown };

/** Requests of a run in which its prompt is looked for: an agent sends it with the first. */
const MOST_PROMPT_SEARCHES = 16;

/** What a status beyond it means is said nowhere; clients give the text to the agent. @see https://www.rfc-editor.org/rfc/rfc9110#section-15 */
const MOST_STATUS = 599;

/** One request and its answer, as far as they are read while they pass. Whatever is wrong with them, nothing here throws. */
export class Exchange implements UnderWay {
  readonly over: Promise<void>;
  readonly #run: ObservedRun;
  readonly #number: number;
  readonly #request: IncomingMessage;
  readonly #upstream: string;
  readonly #endpoint: Endpoint;
  readonly #name: string;
  readonly #allowance: ByteAllowance;
  readonly #keep: ((request: SentRequest) => void) | undefined;
  #holdsPrompt = false;
  #mayBeElsewhere = true;
  #isSent = false;
  #hasHead = false;
  readonly #passed = Promise.withResolvers<void>();
  readonly #asked = Promise.withResolvers<ModelRequest>();
  #askedSoFar: ModelRequest = {};
  #takeSoFar = () => {};
  #isTaken = false;
  #isPart = false;
  #answer: AnswerSink | undefined;
  #hasAnswerBegun = false;
  #isPassed = false;
  #isError = false;
  #isErrorRead = false;
  #noted: Promise<void> | undefined;

  /** @param path without query */
  constructor(
    run: ObservedRun,
    upstream: string,
    {
      request,
      path,
      endpoint,
    }: { readonly request: IncomingMessage; readonly path: string; readonly endpoint: Endpoint },
    { allowance, keep }: { readonly allowance: ByteAllowance; readonly keep?: (request: SentRequest) => void },
  ) {
    this.#run = run;
    this.#number = run.nextRequest();
    this.#request = request;
    this.#upstream = upstream;
    this.#endpoint = endpoint;
    this.#name = `${request.method} ${path}`;
    this.#allowance = allowance;
    this.#keep = keep;
    this.over = this.#passed.promise.then(() => this.#noted);
  }

  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** The upstream is reached: what comes of the request goes to it. */
  sent(): void {
    this.#isSent = true;
  }

  /** Nothing more of it passes. */
  passed(): void {
    if (this.#isPassed) return;
    this.#isPassed = true;
    if (this.#isSent && !this.#hasHead) this.#noted = this.#noteUnseen();
    this.#passed.resolve();
  }

  cut(): void {
    this.#request.socket.destroy();
  }

  /** Reads the request's body as it passes. */
  readRequest(): void {
    const format = this.#format();
    if (format === undefined) return;
    const request = this.#request;
    const sink = requestBody(this.#allowance, (body) => this.#take(format, body));
    this.#takeSoFar = () => this.#take(format, sink.soFar());
    const tap = tapBody(request.headers['content-encoding'], this.#allowance, sink);
    request.on('data', (bytes: Buffer) => tap.write(bytes));
    request.on('end', () => tap.end(true));
    request.on('close', () => {
      if (!request.readableEnded) tap.end(false);
    });
  }

  /** Reads the answer as it passes. */
  readAnswer(answer: IncomingMessage): void {
    this.#hasHead = true;
    const status = answer.statusCode ?? 0;
    if (this.#endpoint === 'no-model') return;
    if (status > MOST_STATUS) {
      this.#run.seen.unattributed('answer_unreadable', { upstream: this.#upstream, endpoint: this.#name });
      return;
    }
    if (status >= 400) {
      if (this.#endpoint !== 'written-before') this.#run.seen.failed();
      this.#readError(answer);
      return;
    }
    const format = this.#format();
    if (format === undefined) {
      // Where a redirect leads, the provider may give out the text itself.
      if (status !== 304)
        this.#run.seen.unattributed('request_unknown', { upstream: this.#upstream, endpoint: this.#name });
      return;
    }
    if (status === 304) {
      this.#noted = this.#noteUnseen();
      return;
    }
    if (status >= 300) {
      // The agent asks again wherever it is sent, and who answers there is seen by nobody.
      this.#run.seen.unattributed('answer_not_seen', { upstream: this.#upstream, endpoint: this.#name });
      return;
    }
    const { promise, resolve } = Promise.withResolvers<AnswerFacts | undefined>();
    const sink = answerBody(format, answer.headers, this.#allowance, resolve);
    const tap = tapBody(answer.headers['content-encoding'], this.#allowance, sink);
    this.#answer = sink;
    answer.on('data', (bytes: Buffer) => {
      this.#hasAnswerBegun = true;
      tap.write(bytes);
    });
    answer.on('close', () => tap.end(answer.readableEnded));
    this.#noted = this.#note(promise, answer);
  }

  /** Of an error too: some providers give back in it what the model wrote. One that nobody could read may hold it. */
  #readError(answer: IncomingMessage): void {
    this.#isError = true;
    const status = answer.statusCode ?? 0;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const sink = textBody(this.#allowance, (text, isWhole) => {
      const isCut = !isWhole && this.#hasAnswerBegun;
      resolve(isCut ? undefined : text);
    });
    const tap = tapBody(answer.headers['content-encoding'], this.#allowance, sink);
    answer.on('data', (bytes: Buffer) => {
      this.#hasAnswerBegun = true;
      tap.write(bytes);
    });
    answer.on('close', () => tap.end(answer.readableEnded));
    this.#noted = promise.then((text) => {
      this.#isErrorRead = true;
      if (text === undefined || mayHoldAnswer(text, status))
        this.#run.seen.unattributed('answer_unreadable', { upstream: this.#upstream, endpoint: this.#name });
      else if (mayHaveBegun(status, text)) return this.#noteUnseen();
      return undefined;
    });
  }

  soFar(): ObservedAnswer | undefined {
    if (this.#answer !== undefined && this.#hasAnswerBegun)
      return this.#observed(this.#askedSoFar, this.#answer.soFar(), true);
    // What an error holds is not known before its end.
    if (this.#isError)
      return this.#hasAnswerBegun && !this.#isErrorRead ? this.#observed({}, undefined, false) : undefined;
    // One that has passed, and whose request is still being read: nobody knows what came of it.
    const mayMatter = this.#isPassed && this.#isSent && this.#mayBeElsewhere && !this.#isPart;
    return mayMatter && this.#format() !== undefined ? this.#observed({}, undefined, false) : undefined;
  }

  async #note(facts: Promise<AnswerFacts | undefined>, answer: IncomingMessage): Promise<void> {
    const read = await facts;
    // Whoever is answered before the end of the request may never send the rest of it.
    if (!this.#request.readableEnded) this.#takeSoFar();
    const request = await this.#asked.promise;
    const isGivenUp = !this.#hasAnswerBegun && !answer.readableEnded;
    if (isGivenUp && !this.#mayBeElsewhere) return;
    if (read?.inputTokens !== undefined) this.#run.contextTokens(read.inputTokens, this.#number);
    this.#run.seen.answered(this.#observed(request, read, answer.readableEnded));
    if (this.#holdsPrompt && read?.model !== undefined) this.#run.promptSeen();
    if (this.#run.promptHash === undefined) this.#run.promptUnknown();
    this.#answer = undefined;
  }

  /** An answer that nobody waited for, or that is not in what came, may be anywhere else that the request named. */
  async #noteUnseen(): Promise<void> {
    if (this.#format() !== undefined) {
      if (this.#hasHead && !this.#request.readableEnded) this.#takeSoFar();
      await this.#asked.promise;
      if (this.#isPart || !this.#mayBeElsewhere) return;
    } else if (this.#endpoint !== 'unknown') return;
    this.#run.seen.unattributed('answer_not_seen', { upstream: this.#upstream, endpoint: this.#name });
  }

  #observed(request: ModelRequest, facts: AnswerFacts | undefined, isWhole: boolean): ObservedAnswer {
    return { upstream: this.#upstream, endpoint: this.#name, request, facts, isWhole };
  }

  /** What was sent of the request. One that was answered before its end may be taken as it was then, and what came later too. */
  #take(format: WireFormat, body: unknown): void {
    if (this.#isTaken) return;
    this.#isPart = body === PART;
    this.#isTaken = !this.#isPart;
    if (!this.#isPart) this.#askedSoFar = this.#requestIn(format, body);
    this.#asked.resolve(this.#askedSoFar);
  }

  #requestIn(format: WireFormat, body: unknown): ModelRequest {
    this.#mayBeElsewhere = mayAnswerElsewhere(format, body);
    if (body === UNREAD) return {};
    this.#keep?.({ upstream: this.#upstream, endpoint: this.#name, body });
    this.#lookForPrompt(format, body);
    return readModelRequest(body);
  }

  #lookForPrompt(format: WireFormat, body: unknown): void {
    const { promptHash, isPromptSeen } = this.#run;
    if (isPromptSeen) return;
    const maySearch = this.#run.mayLookForPrompt(MOST_PROMPT_SEARCHES);
    if (promptHash === undefined) {
      const first = maySearch ? promptOf(format, body) : undefined;
      if (first === undefined) {
        if (!maySearch) this.#run.promptUnknown();
        return;
      }
      this.#run.firstPrompt(first);
      this.#holdsPrompt = true;
      return;
    }
    if (maySearch) this.#holdsPrompt = containsPrompt(format, body, promptHash);
  }

  #format(): WireFormat | undefined {
    return WIRE_FORMATS.find((format) => format === this.#endpoint);
  }
}
