/** A message about one field of a request. */
export interface Diagnostic {
  /** Where, in the client's protocol, such as `messages[2].content`; empty for the request as a whole. */
  readonly path: string;
  /** A sentence for the client. It begins with the path, and quotes only values of closed lists. */
  readonly message: string;
}

/** A diagnostic whose message begins with the path. */
export function diagnostic(path: string, message: string): Diagnostic {
  return { path, message: `${path}: ${message}` };
}
