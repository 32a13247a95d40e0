import { fieldsOf, type Kind, type Kinds, namesOf, type Resource } from './resource.js';

/** A column value in a database. */
export type Column = string | number | bigint | null;

interface Codec<Value> {
  toColumn(value: Value): Exclude<Column, null>;
  /** Drivers return an int64 as text or as a `bigint` if a number cannot hold it, and a boolean as one or as a number. */
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

/** Functions over the fields of records. */
export interface Fieldset<Fields> {
  /** The names of the fields, in their order. */
  readonly names: readonly (keyof Fields & string)[];
  /** Picks the fields of a record that has other members. Leaves out absent fields. */
  pick(record: Fields): Fields;
  /** Whether two records have the same fields. An empty text differs from none. */
  isSame(a: Fields, b: Fields): boolean;
}

/** How the fields of a resource are stored and compared. */
export interface Columns<Fields> extends Fieldset<Fields> {
  /** The values in the order of the fields. */
  toColumns(record: Fields): readonly Column[];
  /** Sets the fields of a record from the columns of a row, which begin at an index. A field without a value is not changed. */
  readColumns(row: readonly unknown[], start: number, record: Record<string, unknown>): void;
  /** The column value of one field. */
  toColumn(name: string, value: unknown): Column;
  /** A text that identifies the fields: for text fields it is their JSON, as in version 1.0. */
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
  const all = fieldsOf({ fields } as Resource).map(([name, { kind }]): readonly [string, Codec<unknown>] => [
    name,
    codecs[kind],
  ]);
  const codecOf = new Map(all);
  const fieldset = fieldsetOf<Fields>({ fields });
  const { names } = fieldset;
  const valuesOf = (record: Fields) => record as Readonly<Record<string, unknown>>;
  const toColumn = (name: string, value: unknown): Column =>
    value === undefined ? null : (codecOf.get(name)?.toColumn(value) ?? null);
  return {
    ...fieldset,
    toColumn,
    toColumns(record) {
      const values = valuesOf(record);
      return all.map(([name, codec]) => {
        const value = values[name];
        if (value === undefined) return null;
        // A text is in its column as it is.
        return typeof value === 'string' && codec === codecs.text ? value : codec.toColumn(value);
      });
    },
    readColumns(row, start, record) {
      let place = start;
      for (const [name, { fromColumn }] of all) {
        const column = row[place++];
        // A text is in its column as it is.
        if (column !== null && column !== undefined)
          record[name] =
            typeof column === 'string' && fromColumn === String ? column : fromColumn(column as never);
      }
    },
    identify(record) {
      const values = valuesOf(record);
      const identified: Record<string, unknown> = {};
      for (const name of names) {
        const column = toColumn(name, values[name]);
        if (column !== null) identified[name] = typeof column === 'bigint' ? column.toString() : column;
      }
      return JSON.stringify(identified);
    },
  };
}
