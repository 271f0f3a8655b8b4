import { useState } from 'react';
import { type ApiError, draftError } from '../../api/error.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { toast } from '../../components/toast.tsx';
import type { Errors } from '../shared/limits/draft.ts';
import styles from '../shared/limits/limits.module.css';
import { useChangeProject } from './change-project.ts';
import { CAPPED, DEFAULT_FIELDS, defaultsChanges, defaultsDraftOf, PERIODS } from './defaults-draft.ts';
import type { Project } from './nodes.ts';
import projects from './projects.module.css';

const GROUPS = { each_key: 'Each key', each_member: 'Each member', each_service_account: 'Each service account' };
const SPANS = { day: 'per day', week: 'per week', month: 'per month', total: 'in total' };

/** What applies to whatever is below a project and has no less of its own. */
export function ProjectDefaults({ project }: { project: Project }) {
  const change = useChangeProject(null);
  const before = defaultsDraftOf(project);
  const [draft, setDraft] = useState(before);
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const isChanged = DEFAULT_FIELDS.some((name) => draft[name] !== before[name]);
  const fieldOf = (name: string, label: string, placeholder: string) => (
    <TextField
      key={name}
      label={label}
      name={name}
      prefix="$"
      inputMode="decimal"
      placeholder={placeholder}
      value={draft[name] ?? ''}
      onChange={(text) => setDraft({ ...draft, [name]: text })}
    />
  );
  const submit = () => {
    const errors: Errors = {};
    const changes = defaultsChanges(before, draft, errors);
    setWrong(Object.keys(errors).length > 0 ? draftError(errors) : null);
    if (Object.keys(errors).length > 0) return;
    change.save(project, changes, (changed) => {
      setDraft(defaultsDraftOf(changed));
      toast({ kind: 'done', message: 'The defaults apply at every ingress.' });
    });
  };
  return (
    <div className={projects['form']}>
      <CallForm
        failed="The defaults were not changed."
        error={wrong ?? change.error}
        fields={DEFAULT_FIELDS}
        onSubmit={submit}
      >
        {CAPPED.map((group) => (
          <div key={group} className={styles['caps']}>
            {PERIODS.map((period) => fieldOf(`${group}.${period}`, `${GROUPS[group]} ${SPANS[period]}`, 'No default'))}
          </div>
        ))}
        <div className={styles['caps']}>{fieldOf('each_session', 'Each session', 'No maximum')}</div>
        <p className="muted small">
          All of them together may be allowed more than the project: its own caps still decide. A session is what
          clients name in x-tollgate-session, such as a run of an agent.
        </p>
        <div className={forms['submit']}>
          <Button look="primary" type="submit" isDisabled={!isChanged} pending={change.isPending && 'Saving'}>
            Save defaults
          </Button>
          {isChanged && <Button onPress={() => setDraft(before)}>Discard</Button>}
        </div>
      </CallForm>
    </div>
  );
}
