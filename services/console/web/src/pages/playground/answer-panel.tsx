import { useAccount } from '../../account/account-context.tsx';
import { ApiError } from '../../api/error.ts';
import { useConfig } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Code, CodeTabs } from '../../components/code.tsx';
import { Empty, ErrorNote, Note } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import type { Answer } from './answer.ts';
import { AnswerFacts } from './answer-facts.tsx';
import { codeOf } from './code.ts';
import { type PlaygroundDraft, readPlaygroundDraft } from './draft.ts';
import styles from './playground.module.css';
import type { Run } from './use-answer.ts';

interface AnswerPanelProps {
  draft: PlaygroundDraft;
  run: Run | null;
  onReply: () => void;
}

/** The response, what it cost, and the same call as code. */
export function AnswerPanel({ draft, run, onReply }: AnswerPanelProps) {
  return (
    <div className={styles['answer']}>
      <Section title="Response">
        {run === null ? (
          <Empty title="No response yet">
            <p>Write a message and send it. The response appears here as it arrives.</p>
          </Empty>
        ) : (
          <Response run={run} onReply={onReply} />
        )}
      </Section>
      <SameCall draft={draft} run={run} />
    </div>
  );
}

function Response({ run: { answer, error }, onReply }: { run: Run; onReply: () => void }) {
  const isFieldError = error instanceof ApiError && error.field !== null;
  return (
    <div className="stack">
      {error !== null && !isFieldError && <ErrorNote title="The call was not made, or broke off." error={error} />}
      {isFieldError && (
        <Note tone="bad" title="The call was not made.">
          {error.message}
        </Note>
      )}
      {answer.error !== null && <GatewayError answer={answer} error={answer.error} />}
      {answer.reasoning !== '' && (
        <details className={styles['more']}>
          <summary>Reasoning</summary>
          <p className={`muted ${styles['text']}`}>{answer.reasoning}</p>
        </details>
      )}
      <div aria-live="polite" aria-busy={answer.state === 'waiting' || answer.state === 'streaming'}>
        {answer.text !== '' && <p className={styles['text']}>{answer.text}</p>}
        {answer.state === 'waiting' && <p className="muted">Waiting for the first token</p>}
        {answer.state === 'stopped' && <p className="muted small">Stopped. What had arrived until then is charged.</p>}
      </div>
      {answer.toolCalls.map((toolCall, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tool calls only grow.
        <div key={at}>
          <p className="muted small">Calls the tool</p>
          <Code text={`${toolCall.name}(${toolCall.arguments})`} what="tool call" />
        </div>
      ))}
      <AnswerFacts answer={answer} />
      {answer.state === 'done' && answer.text !== '' && (
        <div>
          <Button size="small" onPress={onReply}>
            Reply
          </Button>
        </div>
      )}
    </div>
  );
}

/** The gateway's words, and the way out. */
function GatewayError({ answer, error }: { answer: Answer; error: NonNullable<Answer['error']> }) {
  const { href, may } = useAccount();
  const id = answer.requestId ?? answer.traceId;
  const canTopUp = error.type === 'insufficient_balance' && may('operator', 'owner', 'billing');
  return (
    <Note
      tone="bad"
      title={error.message}
      action={
        canTopUp ? (
          <ButtonLink look="primary" href={href('/top-up')}>
            Top up
          </ButtonLink>
        ) : (
          id !== null && <ButtonLink href={href(`/requests/${id}`)}>Why, and what to do</ButtonLink>
        )
      }
    >
      <code>{error.type}</code>
    </Note>
  );
}

/** The call as curl and SDK code: the one that was sent, until the form changes. */
function SameCall({ draft, run }: { draft: PlaygroundDraft; run: Run | null }) {
  const config = useConfig();
  const request = readPlaygroundDraft(draft).body ?? run?.request;
  if (request === undefined || config === undefined) return null;
  const blocks = codeOf(request, { baseUrl: config.base_url, serviceName: config.service_name });
  return (
    <Section title="The same call">
      <CodeTabs
        label="The same call"
        snippets={blocks.map(({ title, code }) => ({ id: title.toLowerCase(), title, text: code }))}
      />
    </Section>
  );
}
