import { fieldsOf, type Kind, type Kinds, namesOf, type Resource } from './resource.js';

export type Column = string | number | bigint | null;

interface Codec<Value> {
  toColumn(value: Value): Exclude<Column, null>;
  /** Drivers return an int64 as number, `bigint`, or text, and a boolean as boolean or number. */
  fromColumn(column: Exclude<Column, null> | boolean): Value;
}

const codecs: { readonly [Of in Kind]: Codec<Kinds[Of]['value']> } = {
  text: { toColumn: (text) => text, fromColumn: String },
  int64: { toColumn: (value) => value, fromColumn: BigInt },
  boolean: { toColumn: Number, fromColumn: (column) => Number(column) === 1 },
  time: { toColumn: Date.parse, fromColumn: (column) => new Date(Number(column)).toISOString() },
  int64List: {
    toColumn: (values) => `[${values.join()}]`,
    fromColumn: (column) => (String(column).match(/-?\d+/g) ?? []).map(BigInt),
  },
};

/** Functions on the fields of a resource's records. */
export interface Fieldset<Fields> {
  readonly names: readonly (keyof Fields & string)[];
  /** Returns the fields of a record without its other members. Omits absent fields. */
  pick(record: Fields): Fields;
  /** Whether two records have the same fields. Empty text differs from an absent field. */
  isSame(a: Fields, b: Fields): boolean;
}

/** Converts the fields of records to and from the columns of a database. */
export interface Columns<Fields> extends Fieldset<Fields> {
  /** Returns the column values of a record, in the order of the fields. */
  toColumns(record: Fields): readonly Column[];
  /** Sets the fields of a record from the columns of a row, starting at an index. A field whose column is null stays unset. */
  readColumns(row: readonly unknown[], start: number, record: Record<string, unknown>): void;
  /** Returns the column value of a field; `null` if the value is absent or there is no such field. */
  toColumn(name: string, value: unknown): Column;
  /** Returns a text that only records with the same fields share. If all fields are text, it is their JSON, as in version 1.0. */
  identify(record: Fields): string;
}

const isSameValue = (a: unknown, b: unknown) =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.join() === b.join() && a.length === b.length);

export function fieldsetOf<Fields>(resource: Pick<Resource, 'fields'>): Fieldset<Fields> {
  const names = namesOf<Fields>(resource);
  return {
    names,
    pick(record) {
      const picked: Partial<Fields> = {};
      for (const name of names) if (record[name] !== undefined) picked[name] = record[name];
      return picked as Fields;
    },
    isSame: (a, b) => names.every((name) => isSameValue(a[name], b[name])),
  };
}

export function columnsOf<Fields>({ fields }: Pick<Resource, 'fields'>): Columns<Fields> {
  const namedCodecs = fieldsOf({ fields } as Resource).map(
    ([name, { kind }]): readonly [string, Codec<unknown>] => [name, codecs[kind]],
  );
  const codecOf = new Map(namedCodecs);
  return {
    ...fieldsetOf<Fields>({ fields }),
    toColumn: (name, value) => (value === undefined ? null : (codecOf.get(name)?.toColumn(value) ?? null)),
    toColumns(record) {
      const values = record as Readonly<Record<string, unknown>>;
      return namedCodecs.map(([name, codec]) => {
        const value = values[name];
        return value === undefined ? null : codec.toColumn(value);
      });
    },
    readColumns(row, start, record) {
      let index = start;
      for (const [name, { fromColumn }] of namedCodecs) {
        const column = row[index++];
        if (column !== null && column !== undefined) record[name] = fromColumn(column as never);
      }
    },
    identify(record) {
      const values = record as Readonly<Record<string, unknown>>;
      const identified: Record<string, unknown> = {};
      for (const [name, codec] of namedCodecs) {
        if (values[name] === undefined) continue;
        const column = codec.toColumn(values[name]);
        identified[name] = typeof column === 'bigint' ? column.toString() : column;
      }
      return JSON.stringify(identified);
    },
  };
}
