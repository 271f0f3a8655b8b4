import { aiSdkSetup } from './ai-sdk.ts';
import { aiderSetup } from './aider.ts';
import { anthropicSetup } from './anthropic-sdk.ts';
import { claudeCodeSetup } from './claude-code.ts';
import type { ClientSetup } from './client-setup.ts';
import { clineSetup } from './cline.ts';
import { codexSetup } from './codex.ts';
import type { Connection } from './connection.ts';
import { continueSetup } from './continue.ts';
import { copilotCliSetup } from './copilot-cli.ts';
import { curlSetup } from './curl.ts';
import { geminiCliSetup } from './gemini-cli.ts';
import { geminiSetup } from './gemini-sdk.ts';
import { langchainSetup } from './langchain.ts';
import { openaiAgentsSetup } from './openai-agents.ts';
import { openaiSetup } from './openai-sdk.ts';
import { opencodeSetup } from './opencode.ts';
import { piSetup } from './pi.ts';
import { pydanticAiSetup } from './pydantic-ai.ts';
import { qwenCodeSetup } from './qwen-code.ts';

type Setup = (connection: Connection) => ClientSetup;

/** curl and the providers' SDKs. */
export const SDKS: readonly Setup[] = [curlSetup, openaiSetup, anthropicSetup, geminiSetup];

/** Coding agents, each run by `make agents-test` with the setup given here. */
export const AGENTS: readonly Setup[] = [
  claudeCodeSetup,
  codexSetup,
  geminiCliSetup,
  opencodeSetup,
  qwenCodeSetup,
  piSetup,
  copilotCliSetup,
  continueSetup,
];

/** Further coding agents, too large to install for a test: their setup was tried with the real program. */
export const FURTHER_AGENTS: readonly Setup[] = [clineSetup, aiderSetup];

/** Frameworks, each run by `make sdk-test` with the setup given here. */
export const FRAMEWORKS: readonly Setup[] = [aiSdkSetup, langchainSetup, pydanticAiSetup, openaiAgentsSetup];

/** How to use the gateway from every client. */
export function clientSetups(connection: Connection): readonly ClientSetup[] {
  return [...SDKS, ...FRAMEWORKS, ...AGENTS, ...FURTHER_AGENTS].map((setup) => setup(connection));
}
