import { AFTER, CALL, type Quantities, type Recording, type Scene, TEXT, THOUGHT, THOUGHTS } from './recorded.ts';

/** The answers of one provider of chat completions. Fields that are absent do not exist there. */
export interface ChatAnswers {
  /** Fields of a whole answer beside choices and usage. */
  whole: object;
  /** Fields of each chunk beside choices and usage. */
  chunk: object;
  /** Fields of each choice beside the message, or delta, and the finish reason. */
  choice?: object;
  /** Fields of each choice of a stream beside those. */
  streamedChoice?: (delta: object) => object;
  /** Fields of a choice that has no finish reason yet; `finish_reason: null` by default. */
  unfinished?: object;
  /** Fields of each message beside its content. */
  message?: object;
  /** The first delta. */
  opening: object;
  /** The delta of the chunk with the finish reason. */
  closing: object;
  /** Comments or chunks before the first one. */
  before?: readonly (object | string)[];
  /** Where a stream has its usage. */
  usageAt: 'last chunk' | 'last choice' | 'own chunk' | 'every chunk' | ((usage: object, isLast: boolean) => object);
  /** Chunks after the end. */
  end?: readonly (object | string)[];
  /** Deltas of a text; `{ content }` by default. */
  text?: (piece: string) => object;
  /** Fields of the message, or delta, with a thought; absent for a provider without. */
  thought?: (piece: string) => object;
  /** A message's field of calls, and the deltas of the same. */
  calls: { whole: readonly object[]; stream: readonly object[] };
  /** Usage as the provider writes it, and what it means. */
  counts: Readonly<Record<'text' | 'tools' | 'after', Count>> & { reasoning?: Count };
  /** Of the scene with reasoning. */
  returned?: Pick<Scene, 'returned' | 'notReturned' | 'clients'>;
}

type Count = readonly [written: object, meant: Quantities];

/** The scenes with these answers. */
export function chatScenes(answers: ChatAnswers): Scene[] {
  const { counts, thought, calls, returned } = answers;
  const textOf = answers.text ?? ((content) => ({ content }));
  const after = recording(answers, {
    message: { content: AFTER.join('') },
    deltas: AFTER.map(textOf),
    finish: 'stop',
    count: counts.after,
    said: { text: AFTER.join('') },
  });
  const scenes: Scene[] = [
    {
      name: 'text',
      answer: recording(answers, {
        message: { content: TEXT.join('') },
        deltas: TEXT.map(textOf),
        finish: 'stop',
        count: counts.text,
        said: { text: TEXT.join('') },
      }),
    },
    {
      name: 'tools',
      answer: recording(answers, {
        message: { tool_calls: calls.whole },
        deltas: calls.stream,
        finish: 'tool_calls',
        count: counts.tools,
        said: { text: '', calls: [CALL] },
      }),
      after,
    },
  ];
  if (thought === undefined || counts.reasoning === undefined) return scenes;
  const answer = recording(answers, {
    message: { ...thought(THOUGHT), tool_calls: calls.whole },
    deltas: [...THOUGHTS.map(thought), ...calls.stream],
    finish: 'tool_calls',
    count: counts.reasoning,
    said: { text: '', thoughts: THOUGHT, calls: [CALL] },
  });
  return [...scenes, { name: 'reasoning', answer, after, ...returned }];
}

interface Answer {
  message: object;
  deltas: readonly object[];
  finish: string;
  count: Count;
  said: Pick<Recording, 'text' | 'thoughts' | 'calls'>;
}

function recording(answers: ChatAnswers, { message, deltas, finish, count, said }: Answer): Recording {
  const [written, usage] = count;
  const { usageAt, choice = {}, streamedChoice = () => ({}), unfinished = { finish_reason: null } } = answers;
  const last = usageAt === 'last choice' ? { usage: written } : {};
  const counted = (isLast: boolean): object => {
    if (typeof usageAt === 'function') return usageAt(written, isLast);
    return usageAt === 'every chunk' || (usageAt === 'last chunk' && isLast) ? { usage: written } : {};
  };
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...answers.chunk,
    choices: [
      {
        index: 0,
        delta,
        ...choice,
        ...streamedChoice(delta),
        ...(finish_reason === null ? unfinished : { finish_reason, ...last }),
      },
    ],
    ...counted(finish_reason !== null),
  });
  const own = usageAt === 'own chunk' ? [{ ...answers.chunk, choices: [], usage: written }] : [];
  return {
    ...said,
    usage,
    whole: {
      ...answers.whole,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, ...answers.message, ...message },
          ...choice,
          finish_reason: finish,
        },
      ],
      usage: written,
    },
    stream: [
      ...(answers.before ?? []),
      chunk(answers.opening, null),
      ...deltas.map((delta) => chunk(delta, null)),
      chunk(answers.closing, finish),
      ...own,
      ...(answers.end ?? ['[DONE]']),
    ],
  };
}
