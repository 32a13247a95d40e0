import { foldText, hasText } from '@plant-store/contract/fold-text';
import { type InputHTMLAttributes, type KeyboardEvent, type Ref, useId, useState } from 'react';
import { Icon } from '../shared/icon.js';
import { toVisible } from '../shared/to-visible.js';
import { useHasScope } from '../shared/use-scopes.js';
import { TagDot } from './tag.js';
import './tag-input.css';
import { useCounts } from './use-tags.js';

interface TagInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> {
  readonly value: string;
  readonly ref?: Ref<HTMLInputElement> | undefined;
  /** Called with a typed or chosen tag, in the form of an input event. */
  onChange(event: { readonly target: { readonly value: string } }): void;
}

/** The maximum number of suggested tags. */
const maxSuggestions = 8;
/** The maximum lengths of shown tags, in characters. */
const maxTagLength = 60;
const maxNewTagLength = 40;

interface Option {
  readonly tag: string;
  readonly count?: number | undefined;
  readonly kind: 'tag' | 'new' | 'none';
}

/**
 * A field for a tag that suggests the store's tags: a combobox as in the ARIA Authoring Practices Guide. Arrow keys move through the list,
 * and Enter chooses the highlighted tag. If none is highlighted, the surrounding form handles Enter.
 */
export function TagInput({ value, onChange, ref, ...input }: TagInputProps) {
  const { tags } = useCounts(useHasScope('read'));
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  // Until something is typed, all tags are suggested.
  const [typed, setTyped] = useState('');
  const list = useId();
  const options = isOpen ? suggest(tags, typed) : [];
  const show = (open: boolean) => {
    setOpen(open);
    setActive(-1);
  };
  const choose = ({ tag }: Option) => {
    onChange({ target: { value: tag } });
    setTyped(tag);
    show(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    const option = options[active];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      setActive((before) => Math.max(-1, Math.min(suggest(tags, typed).length - 1, before + step)));
    } else if (key === 'Enter' && option !== undefined) choose(option);
    else if (key === 'Escape' && isOpen && options.length > 0) show(false);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of its field
    <div className="combobox" onKeyDown={onKeyDown} onBlur={() => show(false)}>
      <input
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        dir="auto"
        {...input}
        ref={ref}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={list}
        aria-activedescendant={active === -1 ? undefined : `${list}-${active}`}
        value={value}
        onClick={() => show(true)}
        onChange={(event) => {
          onChange(event);
          setTyped(event.target.value);
          show(true);
        }}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML allows a listbox for a list */}
      <ul id={list} role="listbox" aria-label="Tags" hidden={options.length === 0}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: see above, with aria-activedescendant
          <li
            key={`${option.kind} ${option.tag}`}
            id={`${list}-${index}`}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern of a listbox
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            <OptionText {...option} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function OptionText({ tag, count, kind }: Option) {
  if (kind === 'none')
    return (
      <>
        <span className="dot no-tag" /> No tag
      </>
    );
  if (kind === 'new') {
    return (
      <>
        <Icon name="add" />
        <span>
          New tag <bdi translate="no">{`“${toVisible(tag, maxNewTagLength)}”`}</bdi>
        </span>
      </>
    );
  }
  return (
    <>
      <TagDot tag={tag} />
      <span dir="auto" translate="no">
        {toVisible(tag, maxTagLength)}
      </span>{' '}
      {count !== undefined && <span className="count">{count.toLocaleString()}</span>}
    </>
  );
}

/** Returns the tags that begin with a text, then tags that contain it, then the text as a new tag, then no tag. */
function suggest(tags: ReadonlyMap<string, number | undefined>, typed: string): readonly Option[] {
  const folded = foldText(typed.trim());
  const prefixed = [...tags].filter(([tag]) => foldText(tag).startsWith(folded));
  const others = [...tags].filter(([tag]) => !foldText(tag).startsWith(folded) && hasText(tag, folded));
  const existing = [...prefixed, ...others]
    .filter(([tag]) => tag !== '')
    .slice(0, maxSuggestions)
    .map(([tag, count]) => ({ tag, count, kind: 'tag' as const }));
  return [
    ...existing,
    ...(typed.trim() === '' || tags.has(typed.trim()) ? [] : [{ tag: typed.trim(), kind: 'new' as const }]),
    { tag: '', kind: 'none' },
  ];
}
