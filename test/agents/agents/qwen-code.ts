import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://qwenlm.github.io/qwen-code-docs/en/users/features/headless */
export const qwenCode: Agent = {
  name: 'qwen-code',
  client: 'qwen-code',
  program: '.bin/qwen',
  model: neutralModel,
  environment: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
  files: {},
  args: (prompt, goOn) => ['--approval-mode', 'yolo', ...(goOn ? ['--continue'] : []), prompt],
  // Its dropEmptyTextThinkingBlocks() drops encrypted reasoning of earlier steps.
  keepsReasoning: 'last step',
  writeFile: (path, text) => call('write_file', { file_path: path, content: text }),
  readFile: (path) => call('read_file', { file_path: path }),
  viewImage: (path) => call('read_file', { file_path: path }),
};
