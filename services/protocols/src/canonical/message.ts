import type { InputPart, OutputPart, Placed, TextPart, ToolResultPart } from './part.ts';

/** Instructions of the application. `developer` is the newer name of `system`; both mean the same. */
export interface InstructionMessage extends Placed {
  readonly role: 'system' | 'developer';
  readonly parts: readonly TextPart[];
  readonly name?: string;
}

export interface UserMessage extends Placed {
  readonly role: 'user';
  readonly parts: readonly InputPart[];
  readonly name?: string;
}

/** A response of an earlier turn. */
export interface AssistantMessage extends Placed {
  readonly role: 'assistant';
  readonly parts: readonly OutputPart[];
  readonly name?: string;
}

/** Results of the tool calls of the assistant message before. */
export interface ToolMessage extends Placed {
  readonly role: 'tool';
  readonly parts: readonly ToolResultPart[];
}

/**
 * One turn. Decoders return turns in normal form: no adjacent messages of the same role (and name) among `user`,
 * `assistant` and `tool`, and no message without parts.
 */
export type Message = InstructionMessage | UserMessage | AssistantMessage | ToolMessage;
