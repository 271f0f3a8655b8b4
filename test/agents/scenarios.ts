import { join } from 'node:path';
import type { Agent, Call } from './agents/agent.ts';
import type { Cell, ScenarioName, UpstreamName } from './cells.ts';
import { redSquarePng } from './support/png.ts';

/** One response of the scripted model. */
export interface Step {
  reasoning: string;
  /** Empty for the last step of a turn, which has a text. */
  calls: Call[];
  text?: string;
}

/** A prompt of the user, and what the model does with it. */
export interface Turn {
  prompt: string;
  steps: Step[];
  /** The text of the last step, which the agent prints. */
  answer: string;
  /** Texts within the results of the calls, in their order. */
  results: string[];
}

export interface Scenario {
  /** Files in the working folder before the run. */
  given: Record<string, string | Buffer>;
  turns: Turn[];
  /** Files in the working folder after the run, with their contents. */
  made: Record<string, string>;
  /** Whether the model sees an image. */
  image: boolean;
}

/** Characters that break where text is cut, quoted or decoded twice: combining, outside the BMP, quotes, backslashes. */
const TEXT = 'Größe: 1 €\n日本語 e\u0301 👩‍👩‍👧 "quoted" \\n $HOME `x`\n';
const NAME = 'grüße 日本.txt';

type Make = (agent: Agent, work: string) => Scenario;

/** A scenario as a model of this provider plays it. */
export function scenarioOf({ scenario, upstream }: Cell, agent: Agent, work: string): Scenario {
  const made = SCENARIOS[scenario](agent, work);
  return { ...made, turns: made.turns.map((each) => withPrompt(each, upstream)) };
}

const SCENARIOS: Readonly<Record<ScenarioName, Make>> = {
  'write a file': (agent, work) => ({
    given: {},
    turns: [turn('Write the file.', 'Written: ✓ «grüße».', [[agent.writeFile(join(work, NAME), TEXT)]], [''])],
    made: { [NAME]: TEXT },
    image: false,
  }),

  'two parallel calls': (agent, work) => ({
    given: { 'one.txt': 'First: 你好\n', 'two.txt': 'Second: привет\n' },
    turns: [
      turn(
        'Read both files, then write the copy.',
        'Both are read.',
        [
          [agent.readFile(join(work, 'one.txt')), agent.readFile(join(work, 'two.txt'))],
          [agent.writeFile(join(work, 'copy.txt'), '你好, привет\n')],
        ],
        ['First: 你好', 'Second: привет', ''],
      ),
    ],
    made: { 'copy.txt': '你好, привет\n' },
    image: false,
  }),

  'read an image': (agent, work) => ({
    given: { 'square.png': redSquarePng() },
    turns: [turn('Look at the image.', 'It is a red square.', [[agent.viewImage(join(work, 'square.png'))]], [''])],
    made: {},
    image: true,
  }),

  'a second user turn': (agent, work) => ({
    given: {},
    turns: [
      turn('Write the first file.', 'The first is written.', [[agent.writeFile(join(work, 'a.txt'), 'A\n')]], ['']),
      turn(
        'Read it, and write the second file.',
        'The second is written.',
        [[agent.readFile(join(work, 'a.txt'))], [agent.writeFile(join(work, 'b.txt'), 'A and B\n')]],
        ['A', ''],
      ),
    ],
    made: { 'a.txt': 'A\n', 'b.txt': 'A and B\n' },
    image: false,
  }),
};

function turn(ask: string, answer: string, rounds: Call[][], results: string[]): Turn {
  const steps: Step[] = [
    ...rounds.map((calls, index) => ({ reasoning: `${ask} Step ${index + 1} of it.`, calls })),
    { reasoning: `${ask} All done.`, calls: [], text: answer },
  ];
  return { prompt: ask, steps, answer, results };
}

/** Adds the script to the prompt, with the calls as the provider's protocol has them. */
function withPrompt(plain: Turn, upstream: UpstreamName): Turn {
  const steps = plain.steps.map((step) => ({ ...step, calls: step.calls.map((call) => callAt(upstream, call)) }));
  const script = steps.map(({ reasoning, calls, text }) => ({
    reasoning,
    ...(text === undefined ? { tool_calls: calls } : { text }),
  }));
  return { ...plain, steps, prompt: `${plain.prompt} [simulate ${JSON.stringify({ script })}]` };
}

function callAt(upstream: UpstreamName, { name, arguments: input, custom }: Call): Call {
  const isFunction = custom === true && upstream !== 'openai-responses';
  return { name, arguments: isFunction ? JSON.stringify({ input }) : input };
}
