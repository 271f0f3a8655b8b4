/** Something said of one field of a request. */
export interface FieldNote {
  /** Where, in the client's protocol, such as `messages[2].content`; empty for the request as a whole. */
  readonly path: string;
  /** A sentence for the client. It begins with the path, and quotes no values but those of closed lists. */
  readonly message: string;
}

/** A note whose message begins with the path. */
export function note(path: string, message: string): FieldNote {
  return { path, message: `${path}: ${message}` };
}
