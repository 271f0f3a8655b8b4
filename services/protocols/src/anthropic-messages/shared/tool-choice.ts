import type { CanonicalRequest } from '../../canonical/request.ts';
import type { Tool, ToolChoice } from '../../canonical/tool.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { MessagesRequest } from './schema.ts';

type InputChoice = NonNullable<MessagesRequest['tool_choice']>;

/** A client's choice of tools. */
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

/** The tools to send: Anthropic knows no choice among some of them, so the others are left out. */
export function chosenTools({ tools, toolChoice }: CanonicalRequest): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools;
  const names = new Set(toolChoice.names);
  return tools.filter((tool) => names.has(tool.name));
}

/** The choice for Anthropic; undefined when it is the default. */
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
