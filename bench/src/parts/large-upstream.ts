import { isObject, type ListeningPart, nextMessage, startListeningPart } from './fork.ts';

const RESPONSE_TIMEOUT_MS = 30_000;

/** The process that answers with 100 MB. */
export class LargeUpstream {
  readonly #part: ListeningPart;

  static async start(): Promise<LargeUpstream> {
    return new LargeUpstream(await startListeningPart('large-upstream.ts'));
  }

  private constructor(part: ListeningPart) {
    this.#part = part;
  }

  get origin(): string {
    return this.#part.origin;
  }

  /** Bytes sent so far. */
  async bytes(): Promise<number> {
    const response = nextMessage(this.#part, 'the upstream of large responses', RESPONSE_TIMEOUT_MS);
    this.#part.child.send('count');
    const message = await response;
    if (!isObject(message) || typeof message['bytes'] !== 'number') throw new Error('the upstream reported no bytes');
    return message['bytes'];
  }

  stop(): Promise<void> {
    return this.#part.stop();
  }
}
