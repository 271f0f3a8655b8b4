import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallRecord } from '@tollgate/simulator/exchange/recorder';
import { expect } from 'vitest';
import { READERS, type Received } from '../../sdk/received/index.ts';
import { parsed } from '../../sdk/received/received.ts';
import { listOr, textOr } from '../../sdk/support/json.ts';
import type { Agent } from '../agents/agent.ts';
import type { UpstreamName } from '../cells.ts';
import type { Scenario, Turn } from '../scenarios.ts';
import type { BoundedRun } from './run-bounded.ts';
import { SIGNED_CALLS } from './signed-calls.ts';

/** The agent ended by itself and printed the model's last text. */
export function judgeOutput(run: BoundedRun, turn: Turn): void {
  expect({ code: run.code, timedOut: run.timedOut }, run.stderr.slice(-2_000)).toEqual({ code: 0, timedOut: false });
  expect(run.stdout).toContain(turn.answer);
}

export function judgeFiles(work: string, { made }: Scenario): void {
  for (const [name, text] of Object.entries(made)) expect(readFileSync(join(work, name), 'utf8'), name).toBe(text);
}

/**
 * The provider refused nothing, and in the last call of the turn's tool loop it received all calls of the conversation
 * as the model made them, each with its result, and its own reasoning bound to the calls that it led to.
 *
 * @param turns all turns so far, of which the last is judged
 */
export function judgeUpstream(
  { agent, upstream }: { agent: Agent; upstream: UpstreamName },
  calls: readonly CallRecord[],
  turns: Turn[],
  image: boolean,
): void {
  expect(
    calls.map(({ protocol, status, state }) => ({ protocol, status, state })),
    'every call of the provider',
  ).toEqual(calls.map(() => ({ protocol: upstream, status: 200, state: 'finished' })));
  const turn = turns.at(-1);
  const bodies = calls.map(({ body }): unknown => JSON.parse(body ?? 'null'));
  const inLoop = bodies.filter((body) => turn !== undefined && declares(READERS[upstream](body), turn));
  expect(inLoop.length, 'calls of the tool loop').toBeGreaterThanOrEqual(turn?.steps.length ?? 0);
  const last = inLoop.at(-1);
  const received = READERS[upstream](last);
  const steps = turns.flatMap(({ steps: each }) => each);
  const made = steps.flatMap((step) => step.calls);
  expect(received.calls.map(({ name, input }) => ({ name, input }))).toEqual(
    made.map((call) => ({ name: call.name, input: parsed(call.arguments) })),
  );
  judgeResults(received, turns);
  if (image) expect([...received.images, ...received.results.flatMap((result) => result.images)]).toHaveLength(1);
  judgeSignatures(agent, upstream, last, turns);
}

function declares(received: Received, turn: Turn): boolean {
  const names = received.tools.map((tool) => tool.name);
  return turn.steps.every((step) => step.calls.every((call) => names.includes(call.name)));
}

/** Every result belongs to its call, by its id or, without ids, by its place. */
function judgeResults(received: Received, turns: Turn[]): void {
  const expected = turns.flatMap((turn) => turn.results);
  expect(received.results).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) {
    const { id = '' } = received.calls[index] ?? {};
    const result = id === '' ? received.results[index] : received.results.find(({ callId }) => callId === id);
    expect(result?.text, `the result of call ${index}`).toContain(text);
  }
}

/**
 * The provider signs its reasoning for the first call of a response. Calls of a step come in one response, or each in its
 * own. What earlier turns led to may be lost, because providers read only the reasoning of the current turn.
 */
function judgeSignatures(agent: Agent, upstream: UpstreamName, body: unknown, turns: Turn[]): void {
  const read = SIGNED_CALLS[upstream];
  if (read === undefined || !isSigned(upstream, body)) return;
  const found = read(body);
  const expected = turns.flatMap((turn, number) => {
    const steps = turn.steps.filter(({ calls }) => calls.length > 0);
    return steps.flatMap(({ reasoning, calls }, step) => {
      const isKept = number === turns.length - 1 && keepsStep(agent, step === steps.length - 1);
      return calls.map((_, index) => ({ reasoning, isRequired: isKept && index === 0 }));
    });
  });
  expect(found, 'the reasoning that led to each call').toEqual(
    expected.map(({ reasoning, isRequired }, index) =>
      found[index] === undefined && !isRequired ? undefined : reasoning,
    ),
  );
}

function keepsStep({ keepsReasoning }: Agent, isLast: boolean): boolean {
  switch (keepsReasoning) {
    case 'turn':
      return true;
    case 'last step':
      return isLast;
    case 'none':
      return false;
    default:
      return keepsReasoning satisfies never;
  }
}

/** Claude models sign only if they think, OpenAI's only on request. */
function isSigned(upstream: UpstreamName, body: unknown): boolean {
  if (upstream === 'anthropic-messages') return /enabled|adaptive/.test(textOr(body, 'thinking', 'type'));
  return upstream !== 'openai-responses' || listOr(body, 'include').includes('reasoning.encrypted_content');
}
