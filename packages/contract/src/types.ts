// Printed from the resource definitions: pnpm --filter @plant-store/contract run print-types
import type { FailedResult } from './errors.js';
import type { ItemCondition } from './operation-parts.js';

/** A plant without its ID. */
export interface Plant {
  /** The name of the plant. */
  name: string;
  /** Tag that specifies the type of the plant. */
  tag?: string | undefined;
}

/** A plant with its ID, after validation. */
export interface NewPlant extends Plant {
  id: bigint;
}

// If a member is missing, the compiler's message names the members of the last type: in declaration order, or by name since TypeScript 7.
/** A plant to create, with its ID as text. */
export interface PlantWithIdText extends Plant {
  /** The ID. It must agree with `idText`. */
  id?: number | bigint | undefined;
  /** The digits of the ID. */
  idText: string;
}

/** A plant to create, with its ID as a number. */
export interface PlantWithNumericId extends Plant {
  /** The ID. Beyond 2^53 only a `bigint` is exact. */
  id: number | bigint;
  /** The digits of the ID. They must agree with `id`. */
  idText?: string | undefined;
}

/** What a client sends to create a plant: its `id`, the digits of the ID as `idText`, or both. A `StoredPlant` also works. */
export type NewPlantInput = PlantWithIdText | PlantWithNumericId;

/** A plant as stored, with its ID. */
export interface StoredPlant extends NewPlant {
  /** The digits of the ID. */
  idText: string;
  /** When the plant was first stored (ISO 8601, in UTC), if known. */
  addedAt?: string | undefined;
  /** Who created the plant: the ID of an access token, or `subject` and the subject of a JSON Web Token. Visible only with the scope `admin`. */
  addedBy?: string | undefined;
  /** Who last updated the plant, in the same form. */
  changedBy?: string | undefined;
}

/** The query for a list of plants. */
export interface PlantQuery {
  /** The maximum number of plants on a page, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the previous page of the same query. */
  after?: string | undefined;
  /** The sort order. Records without a time count as the oldest, and text is compared regardless of case. A leading `-` makes the order descending. Default: `id`. */
  order?: 'id' | '-id' | 'newest' | 'oldest' | 'name' | '-name' | undefined;
  /** Plants with exactly this tag. At most 1,000 characters. */
  tag?: string | undefined;
  /** Plants with any of these `tag` values, at most 20. */
  tags?: readonly string[] | undefined;
  /** Include plants without a value for this field, in addition to those with the requested values. */
  without?: 'tag' | undefined;
  /** Plants with this text in their name, regardless of case. At most 100 characters. */
  q?: string | undefined;
  /** Plants stored at this time or later (RFC 3339, with any offset). */
  addedFrom?: string | undefined;
  /** Plants stored before this time (RFC 3339, with any offset). */
  addedBefore?: string | undefined;
  /** Whether to count all plants that match. */
  total?: boolean | undefined;
  /** With `id`, the page has only `ids`, and no plants. */
  fields?: 'id' | undefined;
}

/** A page of a list. It has `limit` plants, unless the list ends, they are large, or the search takes too long. */
export interface PlantPage {
  plants: StoredPlant[];
  /** The IDs instead of the plants, if the query has `fields=id`. You can send them in a batch. */
  ids?: string[] | undefined;
  /** The cursor for the next page. Pass it as `after`. The last page has none. */
  next?: string | undefined;
  /** How many plants match, if the query includes `total=true`. */
  total?: number | undefined;
  /** Whether `total` is an estimate. */
  totalIsEstimate?: boolean | undefined;
  /** Whether the page ends early because the search took too long. */
  partial?: boolean | undefined;
}

/** A batch of plants to create, from 1 to 1,000. */
export interface NewPlants {
  plants: readonly NewPlantInput[];
}

/** The IDs of a batch, from 1 to 1,000. */
export interface PlantIds {
  /** The digits of each ID, such as the `idText` of a plant. */
  ids: readonly string[];
}

/** A plant to update in a batch: its ID as for a create, all its fields, and a condition. */
export type PlantUpdate = NewPlantInput & ItemCondition;

/** A batch of plants to update, from 1 to 1,000. */
export interface PlantUpdates {
  plants: readonly PlantUpdate[];
}

/** A batch of plants to delete, from 1 to 1,000. */
export interface PlantDeletions extends PlantIds {
  /** The `ETag` that each plant must still have, in the order of the IDs, or `*`. Default: no conditions. */
  ifMatch?: readonly string[] | undefined;
}

/** A result in a batch: the plant was found. */
export interface FoundResult {
  status: 200;
  plant: StoredPlant;
  /** The `ETag` of the plant. */
  etag: string;
}

/** The outcome for one plant of a batch, the same as for a separate request. */
export type GetResult = FoundResult | FailedResult<400 | 404 | 500 | 503>;

/** The outcomes of a batch, in the order of its plants. */
export interface GetResults {
  results: GetResult[];
}

/** A result in a batch: the plant was updated, or already has these fields. */
export interface UpdatedResult {
  status: 200;
  plant: StoredPlant;
  /** The `ETag` of the plant as it is now. */
  etag: string;
}

/** The outcome for one plant of a batch, the same as for a separate request. */
export type UpdateResult = UpdatedResult | FailedResult<400 | 404 | 412 | 500 | 503>;

/** The outcomes of a batch, in the order of its plants. */
export interface UpdateResults {
  results: UpdateResult[];
}

/** The latest change of a plant that exists: its creation or an update. */
export interface StoredChange {
  kind: 'created' | 'updated';
  id: bigint;
  /** The digits of the ID. */
  idText: string;
  /** When the change happened (ISO 8601, in UTC), if known. */
  at?: string | undefined;
  /** The plant as it is now. */
  plant: StoredPlant;
}

/** The latest change of a deleted plant: its deletion. */
export interface DeletedChange {
  kind: 'deleted';
  id: bigint;
  /** The digits of the ID. */
  idText: string;
  /** When the change happened (ISO 8601, in UTC), if known. */
  at?: string | undefined;
  plant?: undefined;
}

/** The latest change of a plant. The type narrows by `kind`. */
export type Change = StoredChange | DeletedChange;

/** A page of changes. If it is empty and `next` is your `after`, there are no more changes yet. */
export interface ChangePage {
  changes: Change[];
  /** The cursor for the next page. Pass it as `after`. */
  next: string;
}

/** A current or earlier state of a plant. */
export interface PlantState extends Plant {
  /** When this state began (ISO 8601, in UTC), if known. */
  from?: string | undefined;
  /** When this state ended. The current state has no `until` field. */
  until?: string | undefined;
  /** Who created or updated the plant to this state: see `StoredPlant.addedBy`. */
  by?: string | undefined;
}

/** A page of the current and earlier states of a plant. */
export interface PlantHistory {
  /** The states, newest first. */
  states: PlantState[];
  /** The cursor for the next page. Pass it as `after`. The last page has none. */
  next?: string | undefined;
}

/** The types of plants, by purpose. */
export interface PlantTypes {
  fields: Plant;
  input: Plant;
  create: NewPlant;
  createInput: NewPlantInput;
  stored: StoredPlant;
  query: PlantQuery;
  page: PlantPage;
  batch: NewPlants;
  ids: PlantIds;
  updates: PlantUpdates;
  deletions: PlantDeletions;
  getResults: GetResults;
  updateResults: UpdateResults;
  change: Change;
  changePage: ChangePage;
  history: PlantHistory;
}

/** The types of all resources, by resource name. */
export interface ResourceTypes {
  plant: PlantTypes;
}
