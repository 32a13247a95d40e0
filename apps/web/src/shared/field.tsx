import { type ElementType, type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import './field.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** What to enter; a problem takes its place. */
  readonly hint: string;
  /** What is wrong with the value, in a whole sentence. */
  readonly problem?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
  /** The input, where it is not an ordinary one. */
  readonly as?: ElementType | undefined;
  /** A button that belongs to the input, shown beside its label. */
  readonly children?: ReactNode;
}

/** A labelled input with a line below it, which has room for a problem, so that nothing moves when there is one. */
export function Field({ label, hint, problem, as: Input = 'input', children, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        {...input}
      />
      <p id={`${id}-note`} className={problem === undefined ? 'note' : 'note problem'}>
        {/* An element of its own: text that only moves is a layout shift. */}
        {problem === undefined ? (
          <span key="hint">{hint}</span>
        ) : (
          // An alert, since a description that changes is not announced while its input has the focus.
          <span key="problem" role="alert">
            {problem}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
