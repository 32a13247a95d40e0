import { type FormEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Field } from '../../shared/field.js';
import { type ByField, type FieldName, labels, type Texts, textNames } from '../../shared/fields.js';
import { isSuggestedId, suggestId } from '../../shared/suggest-id.js';
import { requiredTexts } from '../../shared/texts.js';
import { TagInput } from '../tag-input.js';
import { type DraftProblems, draftFields, loadPlantSchema } from './draft.js';

/** Hints on what to enter. Other fields only show whether they are required. */
const hints: Partial<ByField<string>> = {
  id: 'Any whole number. A random one is suggested.',
  name: 'Saved exactly as typed, except for a trailing space.',
  tag: 'Optional: the type of the plant, such as houseplant.',
};
const isRequired = (name: FieldName) => name === 'id' || requiredTexts.includes(name);

/** The methods that the form offers its parent. */
export interface PlantFormHandle {
  /** Moves the focus to a field, and shows it if necessary. */
  focusField(field: FieldName): void;
  /** Moves the focus to the first field with a problem. */
  focusFirst(problems: DraftProblems): void;
  /** Moves the focus to the button that sends the plant. */
  focusSubmit(): void;
}

interface PlantFormProps {
  readonly draft: Texts;
  readonly problems: DraftProblems;
  readonly isPending: boolean;
  /** The label of the submit button. */
  readonly submitLabel: string;
  /** Whether the form has a field for the ID. */
  readonly hasId: boolean;
  readonly ref: Ref<PlantFormHandle>;
  /** Buttons next to the submit button. */
  readonly actions: ReactNode;
  /** Shown below the buttons, for example the result. */
  readonly children: ReactNode;
  onChange(draft: Texts): void;
  onSubmit(): void;
  /** Called with what is pasted into the name. */
  onPasteName?(text: string): void;
}

/** A form for a plant. A suggested ID is shown as text until the person changes it. While a plant is sent, the button does nothing. */
export function PlantForm({
  draft,
  problems,
  isPending,
  submitLabel,
  hasId,
  ref,
  actions,
  children,
  onChange,
  onSubmit,
  onPasteName,
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
    // Tags are case-sensitive.
    autoCapitalize: name === 'name' ? 'sentences' : 'none',
    enterKeyHint: 'done' as const,
    value: draft[name],
    problem: problems[name],
    ref: (element: HTMLInputElement | null) => {
      inputs.current[name] = element;
    },
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <form
      noValidate
      onSubmit={submit}
      // Preloads the schema, which the first view does not load.
      onFocus={() => void loadPlantSchema().catch(() => undefined)}
      className="stack"
    >
      {textNames.map((name) => (
        <Field
          key={name}
          dir="auto"
          as={name === 'tag' ? TagInput : undefined}
          onPaste={({ clipboardData }) =>
            name === 'name' && onPasteName?.(clipboardData.getData('text/plain'))
          }
          {...bind(name)}
        />
      ))}
      {hasId &&
        (isIdShown || problems.id !== undefined ? (
          <Field {...bind('id')}>
            <button type="button" className="quiet" onClick={() => onChange({ ...draft, id: suggestId() })}>
              Suggest another ID
            </button>
          </Field>
        ) : (
          <p className="folded-id">
            ID: automatic, <code translate="no">{draft.id}</code>
            <button type="button" className="quiet" onClick={() => focusField('id')}>
              Change <span className="visually-hidden">the ID</span>
            </button>
          </p>
        ))}
      <div className="submit-row">
        <button
          ref={button}
          type="submit"
          className="primary"
          aria-disabled={isPending}
          data-busy={isPending || undefined}
        >
          {submitLabel}
        </button>
        {actions}
      </div>
      {children}
    </form>
  );
}
