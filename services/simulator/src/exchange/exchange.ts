import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailFirst } from '../controls/fail-first.ts';
import type { PromptCache } from '../model/prompt-cache.ts';
import type { BufferedResponse } from './buffered-response.ts';
import type { CallRecord, Recorder } from './recorder.ts';

/** Maximum time that a stalled call stays open. */
const MAX_STALL_MS = 900_000;

/** One call: its body, its response and its record. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly body: Buffer;
  readonly record: CallRecord;
  readonly recorder: Recorder;
  readonly failFirst: FailFirst;
  /** Tokens that the prompt may have. */
  readonly contextWindow: number;
  readonly promptCache: PromptCache | undefined;

  constructor(given: {
    request: IncomingMessage;
    response: ServerResponse;
    path: string;
    body: Buffer;
    record: CallRecord;
    recorder: Recorder;
    failFirst: FailFirst;
    contextWindow: number;
    promptCache: PromptCache | undefined;
  }) {
    this.request = given.request;
    this.response = given.response;
    this.path = given.path;
    this.body = given.body;
    this.record = given.record;
    this.recorder = given.recorder;
    this.failFirst = given.failFirst;
    this.contextWindow = given.contextWindow;
    this.promptCache = given.promptCache;
  }

  /** The body as text, which the recorder keeps. */
  text(): string {
    const text = this.body.toString('utf8');
    this.recorder.keepBody(this.record, text, this.body.length);
    return text;
  }

  /** Whether the connection is closed. */
  get closed(): boolean {
    return this.response.destroyed || this.response.closed;
  }

  /** Waits. Resolves early if the caller disconnects: check `closed` afterwards. */
  pause(ms: number): Promise<void> {
    if (ms <= 0 || this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.response.off('close', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.response.on('close', done);
    });
  }

  /** Sends nothing more until the caller disconnects. */
  async stall(): Promise<void> {
    await this.pause(MAX_STALL_MS);
    if (!this.closed) this.reset();
  }

  /** Aborts the connection with a TCP reset. */
  reset(): void {
    this.recorder.end(this.record, 'cut');
    this.response.socket?.resetAndDestroy();
  }

  /** Writes a part of the body; resolves when more may be written or the caller has disconnected. */
  write(part: string | Buffer): Promise<void> {
    if (this.closed || this.response.write(part)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.response.off('drain', done);
        this.response.off('close', done);
        resolve();
      };
      this.response.on('drain', done);
      this.response.on('close', done);
    });
  }

  /** Sends a buffered response. */
  send(response: BufferedResponse): void {
    if (this.closed) return;
    this.record.status = response.status;
    this.response.writeHead(response.status, {
      ...response.headers,
      'content-length': Buffer.byteLength(response.body),
    });
    this.response.end(response.body);
  }
}
