import type { Handler } from '../../http/handler.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';

/** The current session; null for nobody, which is no error: every page asks. */
export function createGetSessionHandler(deps: SessionView): Handler<'GET /session'> {
  return async ({ session }) => (session === undefined ? null : renderSession(deps, session));
}
