import type { TextFieldProps } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { CrossIcon } from '../../components/icons.tsx';
import type { Message } from './draft.ts';
import styles from './playground.module.css';

interface MessageFieldsProps {
  messages: readonly Message[];
  problem: string | null;
  onChange: (messages: readonly Message[]) => void;
  onKeyDown: NonNullable<TextFieldProps['onKeyDown']>;
}

const LABELS = { user: 'User message', assistant: 'Assistant message' } as const;
const MOST_MESSAGES = 200;

/** The messages of the conversation, in order. */
export function MessageFields({ messages, problem, onChange, onKeyDown }: MessageFieldsProps) {
  const replace = (at: number, content: string) =>
    onChange(messages.map((message, index) => (index === at ? { ...message, content } : message)));
  const next = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return (
    <div className={styles['messages']}>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation.
        <div key={at} className={styles['message']}>
          <TextField
            label={messages.length === 1 ? 'Message' : LABELS[message.role]}
            rows={message.role === 'user' && at === messages.length - 1 ? 5 : 3}
            value={message.content}
            onChange={(content) => replace(at, content)}
            onKeyDown={onKeyDown}
          />
          {messages.length > 1 && (
            <Button
              look="quiet"
              size="small"
              aria-label={`Remove message ${at + 1}`}
              onPress={() => onChange(messages.filter((_, index) => index !== at))}
            >
              <CrossIcon />
            </Button>
          )}
        </div>
      ))}
      {problem !== null && (
        <p className={`small ${styles['problem']}`} role="alert">
          {problem}
        </p>
      )}
      {messages.length < MOST_MESSAGES && (
        <div>
          <Button size="small" onPress={() => onChange([...messages, { role: next, content: '' }])}>
            Add {next} message
          </Button>
        </div>
      )}
    </div>
  );
}
