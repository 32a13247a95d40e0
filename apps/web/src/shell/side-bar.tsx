import { TagDot } from '../plants/tag.js';
import { useUndo } from '../plants/undo-provider.js';
import { useCounts } from '../plants/use-tags.js';
import { basePath, home, type PlantFilter, type Route } from '../route.js';
import { Icon, type IconName } from '../shared/icon.js';
import { RouteLink } from '../shared/route-link.js';
import { sortedHome } from '../shared/sort-list.js';
import { toVisible } from '../shared/to-visible.js';
import { useHasScope } from '../shared/use-scopes.js';

/** What the side bar opens over the page. */
export type Opened = 'access' | 'keys' | 'tags';

interface SideBarProps {
  readonly route: Route;
  onOpen(opened: Opened): void;
}

/** The maximum number of listed tags. The tags sheet shows all of them. */
const maxTags = 30;
/** The maximum length of a tag, in characters. */
const maxTagLength = 60;

/** Links to all plants and to each tag, with counts. Below them: import, access, and keyboard shortcuts. */
export function SideBar({ route, onOpen }: SideBarProps) {
  return (
    <div className="side">
      <p className="brand">
        <img src={`${basePath}icon.svg`} alt="" width="24" height="24" />
        <span translate="no">Plant Store</span>
      </p>
      <Views route={route} onOpen={onOpen} />
      <ul className="side-links">
        {useHasScope('create') && (
          <li>
            <RouteLink to={{ ...home, view: 'import' }} isCurrent={route.view === 'import'}>
              <Icon name="upload" /> <span>Import</span>
            </RouteLink>
          </li>
        )}
        <SideButton icon="key" label="Access" onClick={() => onOpen('access')} />
        <SideButton icon="keyboard" label="Shortcuts" hint="?" onClick={() => onOpen('keys')} />
      </ul>
    </div>
  );
}

/** Links to the list, to the plants without a tag, and to each tag. */
function Views({ route, onOpen }: SideBarProps) {
  const { total, untagged, tags, isCounted } = useCounts(useHasScope('read'));
  const canEdit = useHasScope('update');
  const { pendingDeletes } = useUndo();
  const { view } = route;
  const filter = view === 'import' ? sortedHome().filter : route.filter;
  const isShown = (target: Partial<PlantFilter>) =>
    view !== 'import' && filter.tag === target.tag && filter.without === target.without;
  const to = (target: Partial<PlantFilter>): Route => ({
    view: 'plants',
    filter: { order: filter.order, ...target },
  });
  // The order of the tags is unknown until the plants are counted.
  const names = isCounted ? [...tags.keys()] : [];
  const listed = names.slice(0, maxTags);
  if (filter.tag !== undefined && !listed.includes(filter.tag)) listed.push(filter.tag);
  return (
    <>
      <ul className="side-links">
        <li>
          <RouteLink to={to({})} isCurrent={isShown({})}>
            <Icon name="plant" /> <span>All plants</span>{' '}
            <Count count={total && Math.max(0, total - pendingDeletes.size)} />
          </RouteLink>
        </li>
        {((isCounted && untagged !== 0) || filter.without !== undefined) && (
          <li>
            <RouteLink to={to({ without: 'tag' })} isCurrent={isShown({ without: 'tag' })}>
              <Icon name="untagged" /> <span>Untagged</span> <Count count={untagged} />
            </RouteLink>
          </li>
        )}
      </ul>
      {listed.length > 0 && (
        <section>
          <h2>
            Tags
            {canEdit && (
              <button type="button" className="quiet icon-only" onClick={() => onOpen('tags')}>
                <Icon name="edit" />
                <span className="visually-hidden">Edit tags</span>
              </button>
            )}
          </h2>
          <ul className="side-links">
            {listed.map((tag) => (
              <li key={tag}>
                <RouteLink to={to({ tag })} isCurrent={isShown({ tag })}>
                  <TagDot tag={tag} />{' '}
                  <span dir="auto" translate="no">
                    {toVisible(tag, maxTagLength) || '(empty)'}
                  </span>{' '}
                  <Count count={tags.get(tag)} />
                </RouteLink>
              </li>
            ))}
            {names.length > maxTags && (
              <SideButton
                icon="tag"
                label={`All ${names.length.toLocaleString()} tags`}
                onClick={() => onOpen('tags')}
              />
            )}
          </ul>
        </section>
      )}
    </>
  );
}

function Count({ count }: { readonly count: number | undefined }) {
  return count !== undefined && <span className="count">{count.toLocaleString()}</span>;
}

interface SideButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  onClick(): void;
}

function SideButton({ icon, label, hint, onClick }: SideButtonProps) {
  return (
    <li>
      <button type="button" className="quiet" onClick={onClick}>
        <Icon name={icon} /> <span>{label}</span>{' '}
        {hint !== undefined && (
          <span className="count" aria-hidden>
            {hint}
          </span>
        )}
      </button>
    </li>
  );
}
