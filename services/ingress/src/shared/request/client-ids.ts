import type { IncomingHttpHeaders } from 'node:http';

/** The client's own names for its conversation and its agents, as recorded with charges. Empty: not sent. */
export interface ClientIds {
  clientSessionId: string;
  agentId: string;
  parentAgentId: string;
}

/** Any client can send the first of each; the others are those of Claude Code, and of Codex (before and since 2026). */
const SESSION_HEADERS = ['x-tollgate-session', 'x-claude-code-session-id', 'session-id', 'session_id'] as const;
const AGENT_HEADERS = ['x-tollgate-agent', 'x-claude-code-agent-id'] as const;
const PARENT_AGENT_HEADERS = ['x-tollgate-parent-agent', 'x-claude-code-parent-agent-id'] as const;

/** At most 100 printable characters of ASCII. The journal relies on their being text (see `readSegment`). */
const PRINTABLE = /^[\x20-\x7e]{1,100}$/;

/** Reads the ids of a request. A value that is too long or malformed counts as not sent. */
export function clientIdsOf(headers: IncomingHttpHeaders): ClientIds {
  return {
    clientSessionId: firstOf(headers, SESSION_HEADERS),
    agentId: firstOf(headers, AGENT_HEADERS),
    parentAgentId: firstOf(headers, PARENT_AGENT_HEADERS),
  };
}

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && PRINTABLE.test(value)) return value;
  }
  return '';
}
