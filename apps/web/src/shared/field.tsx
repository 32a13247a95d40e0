import { type ElementType, type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import './field.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** What to enter. A problem replaces it. */
  readonly hint: string;
  /** A sentence about what is wrong with the value. */
  readonly problem?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
  /** The input component, if it is not a plain `input`. */
  readonly as?: ElementType | undefined;
  /** A button that belongs to the input, shown beside its label. */
  readonly children?: ReactNode;
}

/** A labeled input. The line below it has room for a problem, so that nothing moves when one appears. */
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
        {/* A separate element, because moving text would count as a layout shift. */}
        {problem === undefined ? (
          <span key="hint">{hint}</span>
        ) : (
          // An alert, because screen readers do not announce a changed description while its input has the focus.
          <span key="problem" role="alert">
            {problem}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
