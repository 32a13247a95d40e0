import { type ElementType, type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import './field.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** A sentence about what to enter. If the value has a problem, the problem is shown instead of the hint. */
  readonly hint: string;
  /** A sentence about what is wrong with the value. */
  readonly problem?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
  /** The input component, if it is not a plain `input`. */
  readonly as?: ElementType | undefined;
  /** A button for the input, shown next to the label. */
  readonly children?: ReactNode;
}

/** A labeled input. The line below the input always takes up space, so that the layout does not shift when a problem appears. */
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
        {/* The hint and the problem are separate elements, because text that moves within one element counts as a layout shift. */}
        {problem === undefined ? (
          <span key="hint">{hint}</span>
        ) : (
          // The role is `alert`, because screen readers do not announce a new description while the input is focused.
          <span key="problem" role="alert">
            {problem}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
