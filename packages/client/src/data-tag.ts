// biome-ignore-all lint/suspicious/noTsIgnore: whether there is an error depends on what is installed
// biome-ignore-all lint/correctness/noUndeclaredDependencies: pnpm would install those of peerDependencies in the workspace
// The adapters are optional peer dependencies, declared only in peerDependenciesMeta. If an adapter is not installed, its types resolve to
// `any`, which `Known` drops. Every adapter is imported, not only the core, because a package manager that isolates packages hides the core
// from a program that does not install it directly.
/** @ts-ignore: optional */
import type { DataTag as CoreTag } from '@tanstack/query-core';
/** @ts-ignore: optional */
import type { DataTag as ReactTag } from '@tanstack/react-query';
/** @ts-ignore: optional */
import type { DataTag as SolidTag } from '@tanstack/solid-query';
/** @ts-ignore: optional */
import type { DataTag as SvelteTag } from '@tanstack/svelte-query';
/** @ts-ignore: optional */
import type { DataTag as VueTag } from '@tanstack/vue-query';

/**
 * The type from which TanStack Query infers the data of a key, for each adapter that the program has installed. Without one it is
 * `unknown`, which changes nothing.
 */
export type DataTag<Data> = Known<CoreTag<unknown, Data>> &
  Known<ReactTag<unknown, Data>> &
  Known<SolidTag<unknown, Data>> &
  Known<SvelteTag<unknown, Data>> &
  Known<VueTag<unknown, Data>>;

/** A type, unless it is `any`. Compares tuples, because a conditional type of an unresolved type is `any` again. */
type Known<Type> = [unknown] extends [Type] ? unknown : Type;
