import { type FormEvent, type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { Field } from '../shared/field.js';
import {
  type Draft,
  type DraftField,
  type DraftProblems,
  draftFields,
  labels,
  loadPlantSchema,
} from './draft.js';
import { suggestId } from './suggest-id.js';

/** What the form lets its owner do. */
export interface PlantFormHandle {
  /** Moves the focus to the first field with a problem. */
  focusFirst(problems: DraftProblems): void;
  /** Moves the focus to the button that adds the plant. */
  focusSubmit(): void;
}

interface PlantFormProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly pending: boolean;
  readonly ref: Ref<PlantFormHandle>;
  /** Where the result is shown. */
  readonly children: ReactNode;
  onChange(draft: Draft): void;
  onSubmit(): void;
  /** Adds the plant again that is not stored, or not certainly; `undefined` where there is none. */
  readonly onRetry: (() => void) | undefined;
}

/** The fields of a plant. While one is being added, the button keeps the focus and does nothing. */
export function PlantForm({
  draft,
  problems,
  pending,
  ref,
  children,
  onChange,
  onSubmit,
  onRetry,
}: PlantFormProps) {
  const inputs = useRef<Partial<Record<DraftField, HTMLInputElement | null>>>({});
  const button = useRef<HTMLButtonElement>(null);
  useImperativeHandle(ref, () => ({
    focusSubmit: () => button.current?.focus(),
    focusFirst: (found) => {
      const field = draftFields.find((name) => found[name] !== undefined);
      if (field !== undefined) inputs.current[field]?.focus();
    },
  }));
  const bind = (name: DraftField) => ({
    name,
    label: labels[name],
    value: draft[name],
    problem: problems[name],
    ref: (element: HTMLInputElement | null) => {
      inputs.current[name] = element;
    },
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending) onSubmit();
  };
  return (
    <form
      noValidate
      onSubmit={submit}
      // So that the check is there when it is needed; the first view does without.
      onFocus={() => void loadPlantSchema().catch(() => undefined)}
      className="stack"
    >
      <h2>Add a plant</h2>
      <Field hint="Any whole number; a random one is suggested." aria-required {...bind('id')}>
        <button type="button" className="quiet" onClick={() => onChange({ ...draft, id: suggestId() })}>
          Suggest another id
        </button>
      </Field>
      <Field hint="Stored exactly as you type it." aria-required {...bind('name')} />
      <Field hint="Optional: the type of the plant, such as houseplant." {...bind('tag')} />
      <div className="submit-row">
        <button
          ref={button}
          type="submit"
          className="primary"
          aria-disabled={pending}
          data-busy={pending || undefined}
        >
          Add plant
        </button>
        {onRetry !== undefined && (
          <button type="button" aria-disabled={pending} onClick={() => pending || onRetry()}>
            Try again
          </button>
        )}
      </div>
      {children}
    </form>
  );
}
