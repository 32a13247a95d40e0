import { toVisible } from '../shared/to-visible.js';

/** The number of hues in the style sheets. */
const hueCount = 12;

/** Returns the hue of a tag. Tags that differ only in case, Unicode composition, or surrounding spaces have the same hue. */
export function hueOf(tag: string): number {
  let hash = 0;
  for (const character of tag.trim().normalize().toLowerCase()) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return hash % hueCount;
}

/** A tag in its color. */
export function Tag({ tag, maxLength }: { readonly tag: string; readonly maxLength?: number | undefined }) {
  return (
    <span className="tag" dir="auto" translate="no" data-hue={hueOf(tag)}>
      {toVisible(tag, maxLength) || '(empty)'}
    </span>
  );
}

/** A dot in the color of a tag, shown next to its text. */
export function TagDot({ tag }: { readonly tag: string }) {
  return <span className="dot" data-hue={hueOf(tag)} />;
}
