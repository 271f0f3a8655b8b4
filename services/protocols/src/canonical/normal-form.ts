import { isTurnOver, type Stages } from '../lists/stages.ts';
import type { Message } from './message.ts';

/**
 * Turns in normal form: no messages without parts, and adjacent messages of the same role (and name) among `user`,
 * `assistant` and `tool` are merged, with the path of the first.
 */
export function* normalForm(messages: readonly Message[]): Stages<Message[]> {
  const turns: Message[] = [];
  let run: Message[] = [];
  const closeRun = () => {
    const turn = merged(run);
    if (turn !== undefined) turns.push(turn);
    run = [];
  };
  for (const message of messages) {
    if (isTurnOver(1 + message.parts.length)) yield;
    if (message.parts.length === 0) continue;
    const [first] = run;
    if (first !== undefined && !isSameTurn(first, message)) closeRun();
    run.push(message);
  }
  closeRun();
  return turns;
}

function isSameTurn(first: Message, next: Message): boolean {
  switch (first.role) {
    case 'user':
    case 'assistant':
      return first.role === next.role && first.name === next.name;
    case 'tool':
      return next.role === 'tool';
    case 'system':
    case 'developer':
      return false;
    default:
      return first satisfies never;
  }
}

/** Merges messages into one turn. The parts of a long run are copied once, not once for each message. */
function merged(run: readonly Message[]): Message | undefined {
  const [first] = run;
  if (first === undefined || run.length === 1) return first;
  switch (first.role) {
    case 'user':
      return { ...first, parts: run.flatMap((message) => (message.role === 'user' ? message.parts : [])) };
    case 'assistant':
      return { ...first, parts: run.flatMap((message) => (message.role === 'assistant' ? message.parts : [])) };
    case 'tool':
      return { ...first, parts: run.flatMap((message) => (message.role === 'tool' ? message.parts : [])) };
    case 'system':
    case 'developer':
      return first;
    default:
      return first satisfies never;
  }
}
