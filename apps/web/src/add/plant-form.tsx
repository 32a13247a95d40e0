import { type FormEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { TagSuggestions } from '../plants/tag-suggestions.js';
import { Field } from '../shared/field.js';
import { isSuggestedId, suggestId } from '../shared/suggest-id.js';
import {
  type Draft,
  type DraftField,
  type DraftProblems,
  draftFields,
  labels,
  loadPlantSchema,
} from './draft.js';

/** What the form lets its owner do. */
export interface PlantFormHandle {
  /** Moves the focus to a field, which shows it where it is folded. */
  focusField(field: DraftField): void;
  /** Moves the focus to the first field with a problem. */
  focusFirst(problems: DraftProblems): void;
  /** Moves the focus to the button that adds the plant. */
  focusSubmit(): void;
}

interface PlantFormProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly pending: boolean;
  /** Whether one was added, so that the next is another. */
  readonly hasAdded: boolean;
  readonly ref: Ref<PlantFormHandle>;
  /** Where the result is shown. */
  readonly children: ReactNode;
  onChange(draft: Draft): void;
  onSubmit(): void;
  /** Adds the plant again that is not stored, or not certainly; `undefined` where there is none. */
  readonly onRetry: (() => void) | undefined;
}

/**
 * The fields of a plant; the id is folded as long as it is a suggested one. While a plant is being added, the button keeps
 * the focus and does nothing.
 */
export function PlantForm({
  draft,
  problems,
  pending,
  hasAdded,
  ref,
  children,
  onChange,
  onSubmit,
  onRetry,
}: PlantFormProps) {
  const inputs = useRef<Partial<Record<DraftField, HTMLInputElement | null>>>({});
  const button = useRef<HTMLButtonElement>(null);
  const [isIdShown, setIdShown] = useState(!isSuggestedId(draft.id));
  const focusField = (field: DraftField) => {
    if (field === 'id') flushSync(() => setIdShown(true));
    inputs.current[field]?.focus();
  };
  useImperativeHandle(ref, () => ({
    focusField,
    focusSubmit: () => button.current?.focus(),
    focusFirst: (found) => {
      const field = draftFields.find((name) => found[name] !== undefined);
      if (field !== undefined) focusField(field);
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
      <Field hint="Stored exactly as you type it." aria-required dir="auto" {...bind('name')} />
      <Field
        hint="Optional: the type of the plant, such as houseplant."
        dir="auto"
        list="tags-to-add"
        {...bind('tag')}
      />
      <TagSuggestions id="tags-to-add" />
      {isIdShown || problems.id !== undefined ? (
        <Field hint="Any whole number; a random one is suggested." aria-required {...bind('id')}>
          <button type="button" className="quiet" onClick={() => onChange({ ...draft, id: suggestId() })}>
            Suggest another id
          </button>
        </Field>
      ) : (
        <p className="folded-id">
          Id: automatic, <code>{draft.id}</code>
          <button type="button" className="quiet" onClick={() => focusField('id')}>
            Change <span className="visually-hidden">the id</span>
          </button>
        </p>
      )}
      <div className="submit-row">
        <button
          ref={button}
          type="submit"
          className="primary"
          aria-disabled={pending}
          data-busy={pending || undefined}
        >
          {hasAdded ? 'Add another' : 'Add'}
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
