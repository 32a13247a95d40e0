/**
 * A promise that is also iterable. It is lazy: nothing is sent until it is first awaited (`await`, `then`, `catch`, `finally`) or
 * iterated (`for await`). Awaiting it again sends nothing more, and gives the same result.
 */
export interface IterablePromise<Item, Result = Item[]> extends Promise<Result>, AsyncIterable<Item> {}

/**
 * Creates a lazy promise that is also iterable.
 *
 * @param iterate starts an iteration
 * @param finish converts the items of one iteration to the result of awaiting
 */
export function createIterablePromise<Item, Result>(
  iterate: () => AsyncGenerator<Item, void, undefined>,
  finish: (items: Item[]) => Result,
): IterablePromise<Item, Result> {
  const collect = async () => {
    const items: Item[] = [];
    for await (const item of iterate()) items.push(item);
    return finish(items);
  };
  let result: Promise<Result> | undefined;
  const then: Promise<Result>['then'] = (...handlers) => {
    result ??= collect();
    return result.then(...handlers);
  };
  // `catch` and `finally` of the prototype call `then`.
  return Object.assign(Object.create(Promise.prototype), { then, [Symbol.asyncIterator]: iterate });
}
