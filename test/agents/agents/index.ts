import type { AgentName } from '../cells.ts';
import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code.ts';
import { codex, codexCodeMode, codexKnownModel } from './codex.ts';
import { continueCli } from './continue.ts';
import { copilotCli } from './copilot-cli.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': claudeCode,
  codex,
  'codex-known-model': codexKnownModel,
  'codex-code-mode': codexCodeMode,
  'gemini-cli': geminiCli,
  opencode,
  'qwen-code': qwenCode,
  pi,
  'copilot-cli': copilotCli,
  continue: continueCli,
};
