import type { Conversation, Turn } from '../model/conversation.ts';
import { DIRECTIVE } from './read.ts';
import type { Controls, StepControls } from './schema.ts';

/** A directive with a script, which stays in force while the model's turn lasts. */
const SCRIPT_DIRECTIVE = `${DIRECTIVE}{"script"`;

/** The text of the user's last message with a script; undefined without one. */
export function scriptText(turns: readonly Turn[]): string | undefined {
  const at = scriptTurn(turns);
  return at < 0 ? undefined : ownText(turns[at]);
}

/**
 * The controls of one response of a script. The number of tool results after the message with the script determines the
 * step: each step waits until all of its calls have results. The calls that have none are made again, also for a client
 * that wants at most one call at a time.
 *
 * A script does not apply to a request that lacks one of its tools, such as an agent's request for a title, which
 * contains the same message.
 */
export function scriptStep(script: readonly StepControls[], conversation: Conversation): Controls {
  const { turns, tools } = conversation;
  const declared = new Set(tools.map((tool) => tool.name));
  const called = script.flatMap((step) => step.tool_calls ?? []);
  if (called.some((call) => !declared.has(call.name))) return {};
  let results = countResults(turns.slice(scriptTurn(turns) + 1));
  for (const step of script) {
    const { tool_calls: calls, ...rest } = step;
    if (calls === undefined) return rest;
    if (results < calls.length) {
      return { ...rest, tool_calls: calls.slice(results) };
    }
    results -= calls.length;
  }
  return {};
}

function scriptTurn(turns: readonly Turn[]): number {
  return turns.findLastIndex((turn) => turn.side === 'user' && ownText(turn).includes(SCRIPT_DIRECTIVE));
}

/** The text of a turn without its tool results. */
function ownText(turn: Turn | undefined): string {
  return (turn?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function countResults(turns: readonly Turn[]): number {
  return turns.flatMap((turn) => turn.parts).filter((part) => part.kind === 'tool_result').length;
}
