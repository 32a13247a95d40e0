import { home, type Route } from '../route.js';
import { Icon } from '../shared/icon.js';
import { RouteLink } from '../shared/route-link.js';
import { sortedHome } from '../shared/sort-list.js';
import { useHasScope } from '../shared/use-scopes.js';

interface BottomBarProps {
  readonly route: Route;
  onOpenTags(): void;
  /** Called to show the side bar. */
  onOpenMore(): void;
}

/** The navigation on a phone. */
export function BottomBar({ route: { view, filter }, onOpenTags, onOpenMore }: BottomBarProps) {
  const [canAdd, canEdit] = [useHasScope('create'), useHasScope('update')];
  const isImport = view === 'import';
  return (
    <nav className="bottom-bar" aria-label="Plant Store">
      <RouteLink to={isImport ? sortedHome() : { view: 'plants', filter }} isCurrent={!isImport}>
        <Icon name="plant" /> Plants
      </RouteLink>
      {canEdit && (
        <button type="button" className="quiet" onClick={onOpenTags}>
          <Icon name="tag" /> Tags
        </button>
      )}
      {canAdd && (
        <RouteLink className="button primary" to={{ view: 'add', filter: isImport ? home.filter : filter }}>
          <Icon name="add" />
          <span className="visually-hidden">Add plant</span>
        </RouteLink>
      )}
      {canAdd && (
        <RouteLink to={{ ...home, view: 'import' }} isCurrent={isImport}>
          <Icon name="upload" /> Import
        </RouteLink>
      )}
      <button type="button" className="quiet" onClick={onOpenMore}>
        <Icon name="more" /> More
      </button>
    </nav>
  );
}
