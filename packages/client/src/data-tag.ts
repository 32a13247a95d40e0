// biome-ignore-all lint/suspicious/noTsIgnore: whether there is an error depends on what is installed
// biome-ignore-all lint/correctness/noUndeclaredDependencies: pnpm would install those of peerDependencies in the workspace
// The adapters are optional peer dependencies, declared only in peerDependenciesMeta. An adapter that is not installed cannot be resolved:
// its types are `any`, which `Known` leaves out. Package managers that isolate packages let a package see only its own dependencies, so
// the core, which a program does not install directly, is found through the installed adapter.
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
 * The type from which TanStack Query infers the data of a key, in each copy of it that the program has. Without a copy it is `unknown`,
 * which changes nothing.
 */
export type DataTag<Data> = Known<CoreTag<unknown, Data>> &
  Known<ReactTag<unknown, Data>> &
  Known<SolidTag<unknown, Data>> &
  Known<SvelteTag<unknown, Data>> &
  Known<VueTag<unknown, Data>>;

/** A type, unless it is `any`. Compares tuples, because a conditional type of an unresolved type is `any` again. */
type Known<Type> = [unknown] extends [Type] ? unknown : Type;
