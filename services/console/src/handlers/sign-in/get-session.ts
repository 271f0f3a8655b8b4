import type { Handler } from '../../http/handler.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';

/** The current session. */
export function createGetSessionHandler(deps: SessionView): Handler<'GET /session'> {
  return async ({ session }) => renderSession(deps, session);
}
