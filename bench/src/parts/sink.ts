import { isObject, type ListeningPart, nextMessage, startListeningPart } from './fork.ts';

const RESPONSE_TIMEOUT_MS = 5_000;

/** The process that receives all traces. */
export class TraceSink {
  readonly #part: ListeningPart;

  static async start(): Promise<TraceSink> {
    return new TraceSink(await startListeningPart('trace-sink.ts'));
  }

  private constructor(part: ListeningPart) {
    this.#part = part;
  }

  get origin(): string {
    return this.#part.origin;
  }

  /** Spans received so far. */
  async spans(): Promise<number> {
    const response = nextMessage(this.#part, 'the sink of traces', RESPONSE_TIMEOUT_MS);
    this.#part.child.send('count');
    const message = await response;
    if (!isObject(message) || typeof message['spans'] !== 'number') throw new Error('the trace sink reported no count');
    return message['spans'];
  }

  stop(): Promise<void> {
    return this.#part.stop();
  }
}
