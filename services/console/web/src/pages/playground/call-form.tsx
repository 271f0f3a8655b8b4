import { useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError } from '../../api/error.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { Select } from '../../components/select.tsx';
import { effectiveRate, type Model, rateText } from '../models/prices.ts';
import { type DraftErrors, type PlaygroundDraft, type PlaygroundRequest, readPlaygroundDraft } from './draft.ts';
import { MessageFields } from './message-fields.tsx';
import styles from './playground.module.css';

interface CallFormProps {
  models: readonly Model[];
  draft: PlaygroundDraft;
  error: Error | null;
  isOpen: boolean;
  onChange: (part: Partial<PlaygroundDraft>) => void;
  onSend: (request: PlaygroundRequest) => void;
  onStop: () => void;
}

/** What is sent to the model. */
export function CallForm({ models, draft, error, isOpen, onChange, onSend, onStop }: CallFormProps) {
  const more = useRef<HTMLDetailsElement>(null);
  const [errors, setErrors] = useState<DraftErrors>({});
  const refused: DraftErrors =
    error instanceof ApiError && error.field !== null ? { [error.field]: error.message } : {};
  const change = (part: Partial<PlaygroundDraft>) => {
    setErrors({});
    onChange(part);
  };
  const submit = () => {
    if (isOpen) return;
    const { body, errors: found } = readPlaygroundDraft(draft);
    setErrors(found ?? {});
    // Errors must not hide in the folded part.
    const isFolded = ['tools', 'max_output_tokens', 'temperature'].some((name) => found?.[name] !== undefined);
    if (isFolded && more.current !== null) more.current.open = true;
    if (body !== null) onSend(body);
  };
  const sendByKey = (event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'preventDefault'>) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <Form
      validationErrors={{ ...refused, ...errors }}
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Select
        label="Model"
        options={models.map((model) => ({ value: model.model, label: model.model, detail: priceText(model) }))}
        value={draft.model}
        onChange={(model) => change({ model })}
      />
      <TextField
        label="System"
        rows={2}
        name="system"
        value={draft.system}
        onChange={(system) => change({ system })}
        onKeyDown={sendByKey}
      />
      <MessageFields
        messages={draft.messages}
        problem={errors['messages'] ?? null}
        onChange={(messages) => change({ messages })}
        onKeyDown={sendByKey}
      />
      <details ref={more} className={styles['more']}>
        <summary>Tools and limits</summary>
        <div className="stack">
          <TextField
            label="Tools"
            name="tools"
            rows={6}
            mono
            hint="A JSON array, as in the Chat Completions API."
            placeholder='[{ "type": "function", "function": { "name": "…" } }]'
            value={draft.tools}
            onChange={(tools) => change({ tools })}
          />
          <div className={forms['pair']}>
            <TextField
              label="Max output tokens"
              name="max_output_tokens"
              inputMode="numeric"
              placeholder="Limit of the model"
              value={draft.maxOutputTokens}
              onChange={(maxOutputTokens) => change({ maxOutputTokens })}
            />
            <TextField
              label="Temperature"
              name="temperature"
              inputMode="decimal"
              placeholder="Default of the model"
              value={draft.temperature}
              onChange={(temperature) => change({ temperature })}
            />
          </div>
        </div>
      </details>
      <div className={styles['send']}>
        {isOpen ? (
          // Its own element: the click that stops must not submit the form.
          <Button key="stop" onPress={onStop}>
            Stop
          </Button>
        ) : (
          <Button key="send" type="submit" look="primary">
            Send
          </Button>
        )}
        <span className="muted small">Ctrl or ⌘ and Enter sends.</span>
      </div>
    </Form>
  );
}

/** `$1.25 in, $10.00 out per million tokens` */
function priceText({ price, available }: Model): string {
  if (!available) return 'Not available now';
  const [input, output] = ['input', 'output'].map((bucket) => price && effectiveRate(price, bucket));
  if (!input || !output) return '';
  return `${rateText(input)} in, ${rateText(output)} out per million tokens`;
}
