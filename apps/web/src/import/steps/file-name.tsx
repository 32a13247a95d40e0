import { toVisible } from '../../shared/to-visible.js';

/** The name of what is imported: that of the file, or words for lines without one. */
export function FileName({ name }: { readonly name: string | undefined }) {
  return (
    <bdi translate={name === undefined ? 'yes' : 'no'}>
      {name === undefined ? 'Pasted lines' : toVisible(name)}
    </bdi>
  );
}
