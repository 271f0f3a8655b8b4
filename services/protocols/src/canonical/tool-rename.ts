import { createHash } from 'node:crypto';
import { isTurnOver, mapInStages, type Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { Message } from './message.ts';
import type { OutputPart, ToolResultPart } from './part.ts';
import type { CanonicalRequest } from './request.ts';
import type { CanonicalResponse } from './response.ts';
import type { StreamEvent } from './stream.ts';
import type { Tool, ToolChoice } from './tool.ts';

/*
 * Providers differ in the names of tools that they accept, and clients run tools of servers whose names nobody chose for
 * a provider. A name that the provider refuses is sent in a form that it accepts, and calls come back under the
 * client's name.
 */

/** A provider's rule for names of tools. It must allow letters, digits and underscores. */
export interface ToolNameRule {
  /** Characters that it does not accept, with the flag `g`. */
  readonly refused: RegExp;
  /** The first character. */
  readonly first: RegExp;
  readonly maxLength: number;
}

/** OpenAI's rule, which compatible providers have too. */
export const OPENAI_TOOL_NAMES: ToolNameRule = { refused: /[^a-zA-Z0-9_-]/g, first: /^/, maxLength: 64 };

/** A request with names that the provider accepts, and the client's names of the renamed tools. */
export interface Renamed {
  readonly request: CanonicalRequest;
  readonly originals: ReadonlyMap<string, string>;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Renames tools, earlier calls, and the tool choice. */
export function* renameTools(request: CanonicalRequest, rule: ToolNameRule, diagnostics: Diagnostics): Stages<Renamed> {
  if (yield* areNamesAccepted(request, rule)) return { request, originals: NO_NAMES };
  const originals = new Map<string, string>();
  const renamed = (name: string) => {
    const accepted = providerToolName(name, rule);
    if (accepted !== name) originals.set(accepted, name);
    return accepted;
  };
  const tools = yield* mapInStages(request.tools, (tool): Tool => {
    const name = renamed(tool.name);
    if (name === tool.name) return tool;
    diagnostics.warn(tool.at, 'sent under another name, since its own has a form that this provider refuses');
    return { ...tool, name };
  });
  const messages: Message[] = [];
  for (const message of request.messages) {
    messages.push(renameIn(message, renamed));
    if (isTurnOver(1 + message.parts.length)) yield;
  }
  const { toolChoice } = request;
  const choice = toolChoice === undefined ? {} : { toolChoice: renameChoice(toolChoice, renamed) };
  return { request: { ...request, tools, messages, ...choice }, originals };
}

function* areNamesAccepted({ tools, messages }: CanonicalRequest, rule: ToolNameRule): Stages<boolean> {
  for (const { name } of tools) {
    if (isTurnOver()) yield;
    if (providerToolName(name, rule) !== name) return false;
  }
  for (const { parts } of messages) {
    for (const part of parts) {
      if (isTurnOver()) yield;
      const name = part.type === 'tool-call' || part.type === 'tool-result' ? part.name : undefined;
      if (name !== undefined && providerToolName(name, rule) !== name) return false;
    }
  }
  return true;
}

function renameIn(message: Message, renamed: (name: string) => string): Message {
  if (message.role === 'assistant') {
    const rename = (part: OutputPart) => (part.type === 'tool-call' ? { ...part, name: renamed(part.name) } : part);
    return { ...message, parts: message.parts.map(rename) };
  }
  if (message.role !== 'tool') return message;
  const rename = (part: ToolResultPart) => (part.name === undefined ? part : { ...part, name: renamed(part.name) });
  return { ...message, parts: message.parts.map(rename) };
}

function renameChoice(choice: ToolChoice, renamed: (name: string) => string): ToolChoice {
  if (choice.type === 'tool') return { ...choice, name: renamed(choice.name) };
  return choice.type === 'allowed' ? { ...choice, names: choice.names.map(renamed) } : choice;
}

const HASH_CHARACTERS = 8;

/**
 * The name for a provider with such a rule. An accepted name stays. Any other keeps what it can, and ends in a hash, so
 * that a tool has the same name in every turn, and different tools have different names.
 */
export function providerToolName(name: string, { refused, first, maxLength }: ToolNameRule): string {
  const begun = first.test(name) ? name : `_${name}`;
  const accepted = begun.replace(refused, '_');
  if (accepted === name && name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  return `${accepted.slice(0, maxLength - HASH_CHARACTERS - 1)}_${hash}`;
}

/** Returns calls under the client's names. */
export function restoreToolNames(
  response: CanonicalResponse,
  originals: ReadonlyMap<string, string>,
): CanonicalResponse {
  if (originals.size === 0) return response;
  const restore = (part: OutputPart): OutputPart =>
    part.type === 'tool-call' ? { ...part, name: originals.get(part.name) ?? part.name } : part;
  return {
    ...response,
    choices: response.choices.map((choice) => ({ ...choice, parts: choice.parts.map(restore) })),
  };
}

/** restoreToolNames for the events of a stream. */
export function restoreToolNamesIn(
  events: readonly StreamEvent[],
  originals: ReadonlyMap<string, string>,
): readonly StreamEvent[] {
  if (originals.size === 0) return events;
  return events.map((event) => {
    if (event.type !== 'part-start' || event.head.type !== 'tool-call') return event;
    const name = originals.get(event.head.name);
    return name === undefined ? event : { ...event, head: { ...event.head, name } };
  });
}
