import type { CanonicalRequest } from '../../canonical/request.ts';
import type { Tool, ToolChoice } from '../../canonical/tool.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import type { MessagesRequest } from './schema.ts';

type InputChoice = NonNullable<MessagesRequest['tool_choice']>;

/** Decodes a client's tool choice. */
export function decodeToolChoice(choice: InputChoice): ToolChoice {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type };
    case 'any':
      return { type: 'required' };
    case 'tool':
      return { type: 'tool', name: choice.name };
    default:
      return choice satisfies never;
  }
}

/** Whether the response must call a tool. */
export function isForced(choice: ToolChoice | undefined): boolean {
  return (
    choice?.type === 'required' || choice?.type === 'tool' || (choice?.type === 'allowed' && choice.mode === 'required')
  );
}

/** Whether a `tool_choice` forces a call. */
export function isForcedChoice(choice: unknown): choice is JsonRecord {
  return isRecord(choice) && (choice['type'] === 'any' || choice['type'] === 'tool');
}

/** The tools to send: Anthropic cannot restrict a choice to some tools, so the others are left out. */
export function chosenTools({ tools, toolChoice }: CanonicalRequest): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools;
  const names = new Set(toolChoice.names);
  return tools.filter((tool) => names.has(tool.name));
}

/** Encodes the choice; undefined if it is the default. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  parallel: boolean | undefined,
): JsonRecord | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallel === false ? { type: 'auto', ...single } : undefined;
  switch (choice.type) {
    case 'auto':
      return { type: 'auto', ...single };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...single };
    case 'tool':
      return { type: 'tool', name: choice.name, ...single };
    case 'allowed':
      return { type: choice.mode === 'required' ? 'any' : 'auto', ...single };
    default:
      return choice satisfies never;
  }
}

/** Asks for the call of a model that cannot be forced to call a tool. */
export function callInstruction(choice: ToolChoice | undefined): JsonRecord {
  const tool = choice?.type === 'tool' ? `the tool ${choice.name}` : 'at least one of the tools';
  return { type: 'text', text: `Your response must call ${tool}.` };
}
