import type { JsonRecord } from '../../json/record.ts';

/** Writes numbered events, several into one buffer. */
export class EventWriter {
  readonly #position: StreamPosition;
  #text = '';

  constructor(position: StreamPosition) {
    this.#position = position;
  }

  /** @param members the JSON text of the event's members besides its type and number, without braces */
  write(type: string, members: string): void {
    const sequence = this.#position.sequence++;
    this.#text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${members}}\n\n`;
  }

  /** The bytes of the events since the last call; undefined if there were none. */
  take(): Buffer | undefined {
    if (this.#text === '') return undefined;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    return bytes;
  }
}

/** How far a client's stream has come. */
export interface StreamPosition {
  /** The number of the next event. */
  sequence: number;
  /** The response object as the stream's first event had it; undefined before that. */
  response: JsonRecord | undefined;
  readonly model: string;
  readonly created: number;
  /** For a response that has none yet. */
  readonly newId: () => string;
}
