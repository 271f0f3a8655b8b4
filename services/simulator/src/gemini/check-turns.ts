import type { InputContent, InputPart } from './schema.ts';

interface Merged {
  role: string;
  parts: InputPart[];
}

/**
 * Calls follow a user turn, and each has a result in the next turn, by name. Those of tools that Google ran have theirs in
 * the same turn, by id.
 */
export function turnsFault(contents: readonly InputContent[]): string | undefined {
  const turns = merge(contents);
  for (const [index, turn] of turns.entries()) {
    const unpaired = builtInFault(turn);
    if (unpaired !== undefined) return unpaired;
    const calls = turn.parts.flatMap((part) => part.functionCall ?? []);
    const responses = turn.parts.flatMap((part) => part.functionResponse ?? []);
    if (calls.length > 0 && (turn.role !== 'model' || index === 0)) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    const before = turns[index - 1]?.parts.flatMap((part) => part.functionCall ?? []) ?? [];
    if (responses.length > 0 && (before.length === 0 || turn.role !== 'user')) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    if (responses.length !== before.length) return UNEQUAL;
    const open = before.map((call) => call.name).sort();
    const responded = responses.map((response) => response.name).sort();
    if (open.some((name, at) => name !== responded[at])) {
      return 'Please ensure that the names of the function response parts are those of the function call parts of the function call turn.';
    }
    const ids = before.flatMap((call) => call.id ?? []);
    const foreign = responses.find(
      (response) => response.id !== undefined && ids.length > 0 && !ids.includes(response.id),
    );
    if (foreign !== undefined)
      return `Function response id ${foreign.id} matches no function call of the function call turn.`;
  }
  return turns.at(-1)?.parts.some((part) => part.functionCall !== undefined) === true ? UNEQUAL : undefined;
}

function builtInFault({ parts }: Merged): string | undefined {
  const called = parts.flatMap(({ toolCall }) => toolCall?.id ?? []);
  const responded = parts.flatMap(({ toolResponse }) => toolResponse?.id ?? []);
  const isPaired = called.length === responded.length && called.every((id) => responded.includes(id));
  return isPaired
    ? undefined
    : 'Please ensure that each tool call part has a tool response part with its id in the same turn.';
}

/**
 * Each step of the current turn, which begins with the last text or media of the user, signs its first call.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function unsignedCallFault(contents: readonly InputContent[]): string | undefined {
  const turns = merge(contents);
  const isPrompt = ({ role, parts }: Merged) => role === 'user' && parts.some((part) => !part.functionResponse);
  const begin = turns.findLastIndex(isPrompt);
  for (const [index, turn] of turns.slice(begin + 1).entries()) {
    const first = turn.parts.find((part) => part.functionCall !== undefined);
    if (first?.functionCall === undefined || first.thoughtSignature !== undefined) continue;
    return (
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
      'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
      `call \`default_api:${first.functionCall.name}\` , position ${begin + 2 + index}. Please refer to ` +
      'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.'
    );
  }
  return undefined;
}

const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

function merge(contents: readonly InputContent[]): Merged[] {
  const turns: Merged[] = [];
  for (const content of contents) {
    const role = content.role ?? 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...content.parts);
    else turns.push({ role, parts: [...content.parts] });
  }
  return turns;
}
