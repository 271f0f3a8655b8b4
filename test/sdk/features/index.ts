import { CONVERSATION } from './conversation.ts';
import { FAILURES } from './failures.ts';
import { MONEY } from './money.ts';
import { REASONING } from './reasoning.ts';
import type { Run } from './run.ts';
import { SETTINGS } from './settings.ts';
import { STOPS } from './stops.ts';
import { TOOL_FEATURES } from './tools.ts';

/** How each feature of the table of expectations is tested. */
export const RUNS: Readonly<Record<string, Run>> = {
  ...CONVERSATION,
  ...TOOL_FEATURES,
  ...REASONING,
  ...SETTINGS,
  ...STOPS,
  ...MONEY,
  ...FAILURES,
};
