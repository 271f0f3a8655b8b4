import type { Account } from '@tollgate/test-support/gateway/accounts';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { anthropicMessagesDriver } from '../../sdk/javascript/anthropic-messages.ts';
import { geminiDriver } from '../../sdk/javascript/gemini.ts';
import { openaiChatDriver } from '../../sdk/javascript/openai-chat.ts';
import { openaiResponsesDriver } from '../../sdk/javascript/openai-responses.ts';
import type { Ask, Driver, SdkResponse } from '../../sdk/scenario.ts';
import { type Quantities, type Recording, type Scene, TOOL } from '../providers/recorded.ts';
import { promptOf, resultOf } from './recorded-upstream.ts';

/** The official SDKs of all four protocols. */
export const DRIVERS: readonly Driver[] = [
  openaiChatDriver(),
  openaiResponsesDriver(),
  anthropicMessagesDriver(),
  geminiDriver(),
];

export const MODES = ['whole', 'streamed'] as const;
export type Mode = (typeof MODES)[number];

/** Who asks, and where. */
export interface Caller {
  baseUrl: string;
  account: Account;
  driver: Driver;
  mode: Mode;
}

export function ask(
  { baseUrl, account, driver, mode }: Caller,
  model: string,
  fields: Pick<Ask, 'turns'> & Partial<Ask>,
): Promise<SdkResponse> {
  return driver.ask({ baseUrl, key: account.key }, { model, stream: mode === 'streamed', ...fields });
}

export function user(text: string): Ask['turns'][number] {
  return { role: 'user', parts: [{ text }] };
}

/** A scene as the upstream knows it, and the model that reaches it. */
export interface Play {
  model: string;
  /** The scene's name in the prompt. */
  name: string;
  scene: Scene;
  run: string;
}

/** Asks for a scene: its answer, and if that calls a tool, the answer to the tool's result. */
export async function playScene(
  caller: Caller,
  { model, name, scene, run }: Play,
  expectAnswer: (response: SdkResponse, recording: Recording) => Promise<void>,
): Promise<void> {
  const tools = scene.after === undefined ? undefined : [TOOL];
  const fields = { ...(tools && { tools }), ...(scene.name === 'reasoning' && lowReasoning(caller.driver)) };
  const first = user(promptOf(name, run));
  const response = await ask(caller, model, { ...fields, turns: [first] });
  await expectAnswer(response, scene.answer);
  if (scene.after === undefined) return;
  const results = response.calls.map(({ id: callId, name: tool }) => ({ callId, name: tool, output: resultOf(run) }));
  const turns: Ask['turns'] = [first, { role: 'carried', ref: response.ref }, { role: 'tool', results }];
  await expectAnswer(await ask(caller, model, { ...fields, turns }), scene.after);
}

/** Low reasoning, as the client's protocol expresses it. */
function lowReasoning({ protocol }: Driver): Pick<Ask, 'reasoning' | 'maxTokens'> {
  const reasoning = protocol === 'anthropic-messages' ? { budget: 2_048 } : { effort: 'low' as const };
  return { reasoning, maxTokens: 8_000 };
}

/** The tests' own arithmetic: each bucket at its rate, or at that of the tokens that it is a part of. */
export function costOf(usage: Quantities, price: Readonly<Record<string, unknown>> = {}): bigint {
  const rateOf = (bucket: string) => price[bucket] ?? price[bucket === 'reasoning' ? 'output' : 'input'];
  return Object.entries(usage)
    .map(([bucket, quantity]) => lineNanos(quantity, nanos(String(rateOf(bucket)))))
    .reduce((sum, line) => sum + line, 0n);
}
