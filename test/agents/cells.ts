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
  'pi',
  'copilot-cli',
  'continue',
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

/** Agents whose tools show no image to a model that they do not know. */
const WITHOUT_IMAGES: readonly AgentName[] = ['copilot-cli', 'continue'];

/** The cells that must work: all of them. Every agent calls tools and continues a session, and most read images. */
export const CELLS: readonly Cell[] = AGENTS.flatMap((agent) =>
  UPSTREAMS.flatMap((upstream) =>
    SCENARIOS.filter((scenario) => scenario !== 'read an image' || !WITHOUT_IMAGES.includes(agent)).map((scenario) => ({
      agent,
      upstream,
      scenario,
    })),
  ),
);

/** Cells of the short mode, each in front of a protocol that is not the agent's own. */
const SHORT: Partial<Record<AgentName, { upstream: UpstreamName; scenarios: readonly ScenarioName[] }>> = {
  'claude-code': { upstream: 'gemini', scenarios: SCENARIOS },
  codex: { upstream: 'anthropic-messages', scenarios: SCENARIOS },
  pi: { upstream: 'openai-responses', scenarios: ['two parallel calls'] },
  'copilot-cli': { upstream: 'gemini', scenarios: ['two parallel calls'] },
  continue: { upstream: 'openai-chat', scenarios: ['two parallel calls'] },
};

export const SHORT_CELLS: readonly Cell[] = CELLS.filter(({ agent, upstream, scenario }) => {
  const short = SHORT[agent];
  return short?.upstream === upstream && short.scenarios.includes(scenario);
});
