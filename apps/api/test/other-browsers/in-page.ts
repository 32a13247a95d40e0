import { queryAllByRole } from '@testing-library/dom';

/** Runs in the page: finds elements as assistive technology names them, and notes the errors of the page. */
const errors: string[] = [];

/** The element with a role and a name, or with one that begins so, where the name that is given ends with "…". */
function find(role: string, name: string): HTMLElement | undefined {
  const scope = document.querySelector<HTMLElement>('dialog[open]') ?? document.body;
  const isNamed = (text: string) => {
    const given = text.replaceAll(/\s+/g, ' ').trim();
    return name.endsWith('…') ? given.startsWith(name.slice(0, -1)) : given === name;
  };
  return queryAllByRole(scope, role, { name: isNamed }).find((element) => element.checkVisibility());
}

const { error } = console;
console.error = (...args: unknown[]) => {
  errors.push(args.join(' '));
  error(...args);
};
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  errors.push(`${effectiveDirective} ${blockedURI}`),
);
Object.assign(globalThis, { find, errors });
