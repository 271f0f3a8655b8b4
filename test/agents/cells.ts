/**
 * The coding agents. Codex runs three times, because it declares other tools for models that it knows by name: a search
 * for tools, or a single tool that runs JavaScript (code mode).
 */
export const AGENTS = [
  'claude-code',
  'codex',
  'codex-known-model',
  'codex-code-mode',
  'gemini-cli',
  'opencode',
  'qwen-code',
] as const;
export type AgentName = (typeof AGENTS)[number];

/** The protocols of the provider behind the gateway. */
export const UPSTREAMS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type UpstreamName = (typeof UPSTREAMS)[number];

export const SCENARIOS = ['write a file', 'two parallel calls', 'read an image', 'a second user turn'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** One run: an agent, in front of a model of one provider protocol, doing one thing. */
export interface Cell {
  agent: AgentName;
  upstream: UpstreamName;
  scenario: ScenarioName;
}

/** The cells that must work: all of them. Every agent calls tools, reads images and continues a session. */
export const CELLS: readonly Cell[] = AGENTS.flatMap((agent) =>
  UPSTREAMS.flatMap((upstream) => SCENARIOS.map((scenario) => ({ agent, upstream, scenario }))),
);

/** The cells of the short mode: two agents, each in front of a protocol that is not its own and signs its reasoning. */
export const SHORT_CELLS: readonly Cell[] = CELLS.filter(
  ({ agent, upstream }) =>
    (agent === 'claude-code' && upstream === 'gemini') || (agent === 'codex' && upstream === 'anthropic-messages'),
);
