import { type ReactNode, useRef, useState } from 'react';
import { type ApiError, draftError } from '../../api/error.ts';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import { DefaultFields, ExceedsDefaultsField } from '../shared/limits/default-fields.tsx';
import { DEFAULT_FIELDS, defaultsChanges } from '../shared/limits/defaults-draft.ts';
import { type Errors, limitsChanges, readLimits, readName } from '../shared/limits/draft.ts';
import { LIMIT_FIELDS, LimitFields } from '../shared/limits/limit-fields.tsx';
import styles from '../shared/limits/limits.module.css';
import { useRaisedCap } from '../shared/limits/raised-cap.ts';
import { type NodeValues, nodeDraftOf, type OwnerChanges, type OwnerSettings } from './nodes.ts';

/** The cap whose field gets the focus. */
export interface Raise {
  period: string | undefined;
  /** The field has the focus. */
  onRaising: () => void;
}

interface Submitted {
  /** Of a new one. */
  values: NodeValues & OwnerChanges;
  /** Only what differs. */
  changes: Partial<NodeValues> & OwnerChanges;
  /** To be called with what the response has. */
  saved: (values: NodeValues) => void;
}

interface NodeFormProps {
  /** Null: a new one. */
  node: (NodeValues & Partial<OwnerSettings>) | null;
  /** Members, and the project default, have a name that cannot be changed. */
  hasName: boolean;
  nameHint?: string;
  mayEnd?: boolean;
  /** Of an owner: defaults for their keys and sessions. Those of a project have a form of their own. */
  isOwner?: boolean;
  raise?: Raise | undefined;
  /** What was not done, if the call fails: `The project was not changed.` */
  failed: string;
  error: unknown;
  onSubmit: (submitted: Submitted) => void;
  /** The buttons at its end. */
  actions: (form: { isChanged: boolean; discard: () => void }) => ReactNode;
  /** Above its other fields. */
  children?: ReactNode;
}

/** Name, caps, limits, models and end of a project, a service account or a member in a project. */
export function NodeForm(props: NodeFormProps) {
  const {
    node,
    hasName,
    nameHint,
    mayEnd = true,
    isOwner = false,
    raise,
    failed,
    error,
    onSubmit,
    actions,
    children,
  } = props;
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState(() => nodeDraftOf(node));
  const [wrong, setWrong] = useState<ApiError | null>(null);
  useRaisedCap(form, raise?.period, 'day', raise?.onRaising);
  const before = nodeDraftOf(node);
  const submit = () => {
    const errors: Errors = {};
    const name = hasName ? readName(draft.name, errors) : draft.name;
    const values = { name, ...readLimits(draft, Date.now(), errors) };
    const settings: OwnerChanges = defaultsChanges(before.defaults, draft.defaults, errors);
    if (before.exceedsDefaults !== draft.exceedsDefaults) settings.exceeds_defaults = draft.exceedsDefaults;
    if (Object.keys(errors).length > 0) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    const changes: Partial<NodeValues> = limitsChanges(before, draft, values);
    if (before.name !== draft.name) changes.name = name;
    onSubmit({
      values: { ...values, ...settings },
      changes: { ...changes, ...settings },
      saved: (saved) => setDraft(nodeDraftOf(saved)),
    });
  };
  return (
    <div ref={form}>
      <CallForm failed={failed} error={wrong ?? error} fields={FIELDS} onSubmit={submit}>
        {children}
        {hasName && (
          <TextField
            label="Name"
            name="name"
            isRequired
            autoFocus={node === null}
            {...(nameHint === undefined ? {} : { hint: nameHint })}
            value={draft.name}
            onChange={(name) => setDraft({ ...draft, name })}
          />
        )}
        <LimitFields
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          mayLimit
          mayEnd={mayEnd}
        />
        {isOwner && (
          <details className={styles['folded']} open={DEFAULT_FIELDS.some((field) => before.defaults[field] !== '')}>
            <summary>Defaults for its keys and sessions</summary>
            <div className="stack">
              <DefaultFields
                groups={['each_key']}
                draft={draft.defaults}
                onChange={(defaults) => setDraft({ ...draft, defaults })}
              />
            </div>
          </details>
        )}
        {isOwner && (
          <ExceedsDefaultsField
            isSelected={draft.exceedsDefaults}
            onChange={(exceedsDefaults) => setDraft({ ...draft, exceedsDefaults })}
          />
        )}
        {actions({
          isChanged: JSON.stringify(draft) !== JSON.stringify(before),
          discard: () => setDraft(before),
        })}
      </CallForm>
    </div>
  );
}

const FIELDS = ['name', ...LIMIT_FIELDS, ...DEFAULT_FIELDS];
