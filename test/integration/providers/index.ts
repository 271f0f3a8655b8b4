import { deepseek } from './deepseek.ts';
import { groq } from './groq.ts';
import { openrouter } from './openrouter.ts';
import type { RecordedProvider } from './recorded.ts';

/** Every recorded provider, in the order of the table in docs/providers. */
export const PROVIDERS: readonly RecordedProvider[] = [openrouter, groq, deepseek];
