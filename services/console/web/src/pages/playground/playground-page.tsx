import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { canChat, type Model, modelOf } from '../models/prices.ts';
import { AnswerPanel } from './answer-panel.tsx';
import { CallForm } from './call-form.tsx';
import type { PlaygroundDraft } from './draft.ts';
import styles from './playground.module.css';
import { useAnswer } from './use-answer.ts';

const ABOUT = 'Each call is paid from the balance of this account. Prompts and responses are not kept.';

/** Calls a model at the expense of the account. */
export function PlaygroundPage() {
  const { accountId, href, is, readOnly } = useAccount();
  const isCaller = is('operator', 'owner', 'admin', 'developer');
  const models = useRead('GET /accounts/{account_id}/models', { path: { account_id: accountId } });
  const usable = models.data?.data.filter(canChat);
  return (
    <Page title="Playground" about={ABOUT}>
      {!isCaller && (
        <Empty title="Your role does not call models">
          <p>Owners, admins and developers do. An owner can change your role.</p>
        </Empty>
      )}
      {isCaller && readOnly && (
        <Empty title="Nothing can be sent while you view an account">
          <p>A call would spend the balance of its members. Leave the view to use your own accounts.</p>
        </Empty>
      )}
      {isCaller && !readOnly && models.isError && usable === undefined && (
        <ErrorNote title="The models could not be loaded." error={models.error} onRetry={models.refetch} />
      )}
      {isCaller && !readOnly && models.isPending && <SkeletonBlock height={320} />}
      {isCaller && !readOnly && usable?.length === 0 && (
        <Empty title="No model to try" action={<ButtonLink href={href('/models')}>See the models</ButtonLink>}>
          <p>The playground needs an enabled model that writes text.</p>
        </Empty>
      )}
      {isCaller && !readOnly && usable !== undefined && usable.length > 0 && <Playground models={usable} />}
    </Page>
  );
}

function Playground({ models }: { models: readonly Model[] }) {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState<PlaygroundDraft>({
    model: chosenModel(models, params['model']),
    system: '',
    messages: [{ role: 'user', content: '' }],
    tools: '',
    maxOutputTokens: '',
    temperature: '',
  });
  const { run, start, stop, isOpen } = useAnswer();
  const change = (part: Partial<PlaygroundDraft>) => {
    setDraft({ ...draft, ...part });
    if (part.model !== undefined) setParams({ model: part.model });
  };
  const reply = () => {
    if (run === null) return;
    const messages = [...run.request.messages, { role: 'assistant' as const, content: run.answer.text }];
    change({ messages: [...messages, { role: 'user', content: '' }] });
  };
  return (
    <div className={styles['columns']}>
      <CallForm
        models={models}
        draft={draft}
        error={run?.error ?? null}
        isOpen={isOpen}
        onChange={change}
        onSend={(request) => void start(request)}
        onStop={stop}
      />
      <AnswerPanel draft={draft} run={run} onReply={reply} />
    </div>
  );
}

/** The model of the address, or the first one that is available. */
function chosenModel(models: readonly Model[], named: string | undefined): string {
  const model = modelOf(models, named ?? '') ?? models.find(({ available }) => available) ?? models[0];
  return model?.model ?? '';
}
