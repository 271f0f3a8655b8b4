/** A signed-in browser. */
export interface Session {
  sessionId: string;
  personId: string;
  createdAt: Date;
  /** The end of the session if it stays in use. */
  expiresAt: Date;
  /** The account that an operator views, read-only, as its members see it. */
  viewAsAccountId: string | undefined;
  /** As of its person when they signed in. */
  generation: number;
}
