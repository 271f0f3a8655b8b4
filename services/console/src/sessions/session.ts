/** A browser presents its session in a cookie, the command line as a bearer token. */
export type SessionKind = 'browser' | 'command_line';

/** A browser or command line that is signed in. */
export interface Session {
  sessionId: string;
  kind: SessionKind;
  personId: string;
  createdAt: Date;
  /** The end of the session if it stays in use. */
  expiresAt: Date;
  /** The account that an operator views, read-only, as its members see it. */
  viewAsAccountId: string | undefined;
  /** As of its person when they signed in. */
  generation: number;
}
