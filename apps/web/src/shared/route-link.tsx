import type { MouseEvent, ReactNode } from 'react';
import { formatRoute, navigate, type Route } from '../route.js';

interface RouteLinkProps {
  readonly to: Route;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to a view. It navigates without reloading the page, and can be opened in a new tab. */
export function RouteLink({ to, isCurrent = false, className, children }: RouteLinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={formatRoute(to)}
      aria-current={isCurrent ? 'page' : undefined}
      className={className}
      onClick={onClick}
    >
      {children}
    </a>
  );
}
