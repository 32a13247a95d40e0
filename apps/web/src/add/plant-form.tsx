import { plantFieldNames } from '@plant-store/contract/fields';
import { type FormEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { TagSuggestions } from '../plants/tag-suggestions.js';
import { Field } from '../shared/field.js';
import { type ByField, type FieldName, labels, requiredTexts, type Texts } from '../shared/fields.js';
import { isSuggestedId, suggestId } from '../shared/suggest-id.js';
import { type DraftProblems, draftFields, loadPlantSchema } from './draft.js';

/** What to enter, where it is more than whether anything must be. */
const hints: Partial<ByField<string>> = {
  id: 'Any whole number; a random one is suggested.',
  name: 'Stored exactly as you type it.',
  tag: 'Optional: the type of the plant, such as houseplant.',
};
const isRequired = (name: FieldName) => name === 'id' || requiredTexts.includes(name);

/** What the form lets its owner do. */
export interface PlantFormHandle {
  /** Moves the focus to a field, which shows it where it is folded. */
  focusField(field: FieldName): void;
  /** Moves the focus to the first field with a problem. */
  focusFirst(problems: DraftProblems): void;
  /** Moves the focus to the button that adds the plant. */
  focusSubmit(): void;
}

interface PlantFormProps {
  readonly draft: Texts;
  readonly problems: DraftProblems;
  readonly pending: boolean;
  /** Whether one was added, so that the next is another. */
  readonly hasAdded: boolean;
  readonly ref: Ref<PlantFormHandle>;
  /** Where the result is shown. */
  readonly children: ReactNode;
  onChange(draft: Texts): void;
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
  const inputs = useRef<Partial<Record<FieldName, HTMLInputElement | null>>>({});
  const button = useRef<HTMLButtonElement>(null);
  const [isIdShown, setIdShown] = useState(!isSuggestedId(draft.id));
  const focusField = (field: FieldName) => {
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
  const bind = (name: FieldName) => ({
    name,
    label: labels[name],
    hint: hints[name] ?? (isRequired(name) ? 'Required.' : 'Optional.'),
    'aria-required': isRequired(name),
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
      {plantFieldNames.map((name) => (
        <Field key={name} dir="auto" list={name === 'tag' ? 'tags-to-add' : undefined} {...bind(name)} />
      ))}
      <TagSuggestions id="tags-to-add" />
      {isIdShown || problems.id !== undefined ? (
        <Field {...bind('id')}>
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
