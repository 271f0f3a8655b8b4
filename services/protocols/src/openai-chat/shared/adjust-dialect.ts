import type { ModelParameters } from '../../interface/parameters.ts';
import { isRecord, isSet, type JsonRecord, recordOr } from '../../json/record.ts';
import type { MemberPath } from '../../json/splice.ts';
import { type Adjustment, valueAt } from '../../request/adjustment.ts';
import { leaveOutUnsupported } from '../../request/unsupported-fields.ts';

/** Adjusts the fields in which providers of chat completions differ: their names, and whether they exist. */
export function adjustDialect(body: JsonRecord, parameters: ModelParameters, budgetTokens?: number): Adjustment[] {
  return [
    ...adjustLimitName(body, parameters),
    ...adjustReasoning(body, parameters, budgetTokens),
    ...adjustToolChoice(body, parameters),
    ...adjustFormat(body, parameters),
    ...leaveOutUnsupported(body, parameters),
    ...addFields(body, parameters),
  ];
}

/** Whether the provider's field for reasoning can be switched off, whatever efforts there are. */
export function hasOffSwitch({ reasoningSwitch }: ModelParameters): boolean {
  return reasoningSwitch !== undefined && reasoningSwitch !== 'reasoning_effort' && reasoningSwitch !== 'reasoning';
}

function adjustLimitName(body: JsonRecord, { outputLimit }: ModelParameters): Adjustment[] {
  if (outputLimit === undefined) return [];
  const other = outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  const value = valueAt(body, [other]);
  if (value === undefined) return [];
  const isNewer = other === 'max_completion_tokens' || valueAt(body, [outputLimit]) === undefined;
  return [gone([other]), ...(isNewer ? [{ path: [outputLimit], value, message: undefined } as const] : [])];
}

/** Sets how much to think in the provider's own field. One that the client set there itself stays. */
function adjustReasoning(
  body: JsonRecord,
  { reasoningSwitch, efforts }: ModelParameters,
  budgetTokens: number | undefined,
): Adjustment[] {
  if (reasoningSwitch === undefined || reasoningSwitch === 'reasoning_effort') return [];
  const effort = valueAt(body, ['reasoning_effort']);
  if (typeof effort !== 'string') return [];
  const removed = gone(['reasoning_effort']);
  if (isSet(body[reasoningSwitch])) return [removed];
  const isOn = effort !== 'none';
  const keepsEffort = isOn && efforts !== undefined && efforts.length > 0;
  const set = (value: unknown): Adjustment => ({ path: [reasoningSwitch], value, message: undefined });
  switch (reasoningSwitch) {
    case 'reasoning':
      return [removed, set(isOn && budgetTokens !== undefined ? { max_tokens: budgetTokens } : { effort })];
    case 'thinking':
      return [...(keepsEffort ? [] : [removed]), set({ type: isOn ? 'enabled' : 'disabled' })];
    case 'enable_thinking': {
      const budget = isOn && budgetTokens !== undefined && !isSet(body['thinking_budget']) ? budgetTokens : undefined;
      return [
        removed,
        set(isOn),
        ...(budget === undefined ? [] : [{ path: ['thinking_budget'], value: budget, message: undefined } as const]),
      ];
    }
    case 'chat_template_kwargs':
      return [...(keepsEffort ? [] : [removed]), set({ enable_thinking: isOn })];
    default:
      return reasoningSwitch satisfies never;
  }
}

function adjustToolChoice(body: JsonRecord, { forcedCalls, namedCalls }: ModelParameters): Adjustment[] {
  const choice = valueAt(body, ['tool_choice']);
  if (forcedCalls !== false) return namedCalls === false ? requireOnly(body, choice) : [];
  if (!isForced(choice)) return [];
  return [
    {
      path: ['tool_choice'],
      value: 'auto',
      message: 'sent as "auto", since this model cannot be forced to call a tool',
    },
  ];
}

/** A call of the only tool that there is must be one of the named tool. */
function requireOnly(body: JsonRecord, choice: unknown): Adjustment[] {
  const { tools } = body;
  if (!isRecord(choice) || choice['type'] !== 'function' || !Array.isArray(tools)) return [];
  const name = recordOr(choice['function'])['name'];
  const named = tools.filter((tool) => recordOr(recordOr(tool)['function'])['name'] === name);
  if (named.length === 0) return [];
  return [
    { path: ['tool_choice'], value: 'required', message: undefined },
    ...(named.length < tools.length ? [{ path: ['tools'] as const, value: named, message: ONLY_NAMED }] : []),
  ];
}

const ONLY_NAMED = 'only the named tool is sent, since this model cannot be told which of several to call';

function isForced(choice: unknown): boolean {
  if (!isRecord(choice)) return choice === 'required';
  const { allowed_tools: allowed } = choice;
  return isRecord(allowed) ? allowed['mode'] === 'required' : true;
}

/** JSON without a schema, which an instruction has instead. */
function adjustFormat(body: JsonRecord, parameters: ModelParameters): Adjustment[] {
  if (instructedSchema(body, parameters) === undefined) return [];
  const message = 'sent as an instruction, since the provider of this model enforces no schema';
  return [{ path: ['response_format'], value: { type: 'json_object' }, message }];
}

/** The schema that the provider does not enforce; undefined for a request without one. */
export function instructedSchema(body: JsonRecord, { jsonSchema }: ModelParameters): unknown {
  const format = valueAt(body, ['response_format']);
  if (jsonSchema !== false || !isRecord(format) || format['type'] !== 'json_schema') return undefined;
  return recordOr(format['json_schema'])['schema'] ?? {};
}

function addFields(body: JsonRecord, { addedFields = {} }: ModelParameters): Adjustment[] {
  return Object.entries(addedFields).flatMap(([name, value]) =>
    isSet(body[name]) ? [] : [{ path: [name] as const, value, message: undefined }],
  );
}

function gone(path: MemberPath): Adjustment {
  return { path, value: undefined, message: undefined };
}
