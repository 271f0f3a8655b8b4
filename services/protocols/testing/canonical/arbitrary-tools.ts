import fc, { type Arbitrary } from 'fast-check';
import type { Opaque } from '../../src/canonical/opaque.ts';
import type { ToolCallPart, ToolResultPart } from '../../src/canonical/part.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../src/canonical/tool.ts';
import type { JsonRecord } from '../../src/json/record.ts';
import { cacheOf, inputPart, optionally, type PartSwitches, partOpaque, someText } from './arbitrary-parts.ts';

export interface ToolSwitches extends PartSwitches {
  readonly customTools?: boolean;
  readonly grammars?: boolean;
  /** The strict flag of functions. */
  readonly strict?: boolean;
  /** Functions without a schema. */
  readonly bareFunctions?: boolean;
  /** Inputs of function calls that are not a JSON object. */
  readonly invalidInputs?: boolean;
  /** Media in tool results. */
  readonly resultMedia?: boolean;
  /** Results of several parts. */
  readonly resultParts?: boolean;
  readonly resultErrors?: boolean;
  readonly toolChoices?: readonly ToolChoice['type'][];
}

const description = fc.lorem({ maxCount: 4 });
const schema: Arbitrary<JsonRecord> = fc.constantFrom(
  { type: 'object', properties: {} },
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
);

/** Up to three tools of different names. */
export function tools(switches: ToolSwitches): Arbitrary<Tool[]> {
  return fc
    .array(tool(switches), { maxLength: 3 })
    .map((list) => list.map((one, i) => ({ ...one, name: `tool_${i}` })));
}

function tool(switches: ToolSwitches): Arbitrary<Tool> {
  const kinds: Arbitrary<Tool>[] = [functionTool(switches)];
  if (switches.customTools !== false) kinds.push(customTool(switches));
  return fc.oneof(...kinds);
}

function functionTool(switches: ToolSwitches): Arbitrary<FunctionTool> {
  const bare = fc.record<FunctionTool>({ type: fc.constant('function'), name: fc.constant('') });
  const withSchema = fc.tuple(bare, schema).map(([one, parameters]): FunctionTool => ({ ...one, parameters }));
  const base = switches.bareFunctions === false ? withSchema : fc.oneof(bare, withSchema);
  const described = optionally(base, { description, ...cacheOf(switches) });
  return optionally(described, switches.strict === false ? undefined : { strict: fc.boolean() });
}

function customTool(switches: ToolSwitches): Arbitrary<CustomTool> {
  const base = fc.record({ type: fc.constant('custom' as const), name: fc.constant('') });
  const grammar = fc.record({ syntax: fc.constantFrom('lark', 'regex'), definition: someText });
  return optionally(base, { description, ...(switches.grammars !== false && { grammar }), ...cacheOf(switches) });
}

/** A choice, yet without tools to choose among: which of them is drawn as a number. */
export interface ChoiceSeed {
  readonly type: ToolChoice['type'];
  readonly mode: 'auto' | 'required';
  readonly pick: number;
}

export function choiceSeed(switches: ToolSwitches): Arbitrary<ChoiceSeed> | undefined {
  const types = switches.toolChoices ?? ['auto', 'none', 'required', 'tool', 'allowed'];
  if (types.length === 0) return undefined;
  return fc.record({ type: fc.constantFrom(...types), mode: fc.constantFrom('auto', 'required'), pick: fc.nat() });
}

/** The choice among these tools; undefined if there are none. */
export function choiceOf({ type, mode, pick }: ChoiceSeed, list: readonly Tool[]): ToolChoice | undefined {
  const { name } = list[pick % list.length] ?? {};
  if (name === undefined) return undefined;
  switch (type) {
    case 'auto':
    case 'none':
    case 'required':
      return { type };
    case 'tool':
      return { type, name };
    case 'allowed':
      return { type, mode, names: list.slice(pick % list.length).map((tool) => tool.name) };
    default:
      return type satisfies never;
  }
}

/** A call, yet without a tool. */
export interface CallSeed {
  readonly id: string;
  readonly pick: number;
  readonly functionInput: string;
  readonly customInput: string;
  readonly opaque?: Opaque;
}

export function callSeed(switches: ToolSwitches): Arbitrary<CallSeed> {
  const base = fc.record({
    id: fc.stringMatching(/^call_[a-z0-9]{6,12}$/),
    pick: fc.nat(),
    functionInput: functionInput(switches),
    customInput: someText,
  });
  return optionally(base, partOpaque(switches));
}

/** The call of one of these tools; undefined if there are none. */
export function callOf(seed: CallSeed, list: readonly Tool[]): ToolCallPart | undefined {
  const tool = list[seed.pick % list.length];
  if (tool === undefined) return undefined;
  const input = tool.type === 'custom' ? seed.customInput : seed.functionInput;
  const call: ToolCallPart = { type: 'tool-call', id: seed.id, name: tool.name, kind: tool.type, input };
  return seed.opaque === undefined ? call : { ...call, opaque: seed.opaque };
}

function functionInput(switches: ToolSwitches): Arbitrary<string> {
  const object = fc
    .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value));
  const invalid = fc.constantFrom('{"city": "Par', 'Paris', '[1]');
  return switches.invalidInputs === false ? object : fc.oneof({ arbitrary: object, weight: 4 }, invalid);
}

/** The result of a call, yet without one. */
export type ResultSeed = Pick<ToolResultPart, 'parts' | 'isError'>;

export function resultSeed(switches: ToolSwitches): Arbitrary<ResultSeed> {
  const media = switches.resultMedia === false ? { ...switches, media: [] } : switches;
  return fc.record({
    parts: fc.array(inputPart(media), { minLength: 1, maxLength: switches.resultParts === false ? 1 : 2 }),
    isError: switches.resultErrors === false ? fc.constant(false) : fc.boolean(),
  });
}

export function resultOf(seed: ResultSeed, call: ToolCallPart): ToolResultPart {
  return { type: 'tool-result', callId: call.id, kind: call.kind, ...seed };
}
