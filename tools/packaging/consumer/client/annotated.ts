// What a library exports with the types by their names, as `isolatedDeclarations` asks for; also options that are `undefined`.
import {
  type BodyOf,
  type CallOptions,
  type Client,
  type ClientOptions,
  type Condition,
  createClient,
  type Edit,
  type ErrorOf,
  type Hook,
  type IfMatch,
  isPlantStoreError,
  type OperationName,
  type PlantStoreError,
  type RejectedError,
  type Reply,
  type ReplyOf,
  type RequestEvent,
  type RequestOf,
  type RequestSummary,
  type ResponseEvent,
  type StoredPlant,
  startEdit,
  unwrap,
  type Validate,
} from '@plant-store/client';

const absent: { readonly [Name in keyof CallOptions]-?: undefined } = {
  attemptTimeoutMs: undefined,
  baseUrl: undefined,
  fetch: undefined,
  fetchOptions: undefined,
  headers: undefined,
  onRequest: undefined,
  onResponse: undefined,
  retries: undefined,
  signal: undefined,
  timeoutMs: undefined,
  token: undefined,
  validate: undefined,
};
const options: ClientOptions = { ...absent, baseUrl: 'http://127.0.0.1:3000', token: 'pst_a' };
export const client: Client = createClient(options).withOptions(absent);
export const getPlant = (request: RequestOf<'getPlant'>): Promise<ReplyOf<'getPlant'>> =>
  client.getPlant({ ...absent, ...request });
export const readPlant = (id: bigint): Promise<BodyOf<'getPlant'>> =>
  unwrap(client.getPlant({ params: { id }, ...absent }));
export const listPlants = (): Promise<ReplyOf<'listPlants'>> =>
  client.listPlants({ ...absent, query: { tag: undefined, limit: undefined } });

export const rename = (name: string, seen: ReplyOf<'getPlant'>): Promise<ReplyOf<'updatePlant'>> =>
  client.updatePlant({ params: { id: 1 }, ifMatch: seen, body: { name, tag: undefined } });
export const renameIf = (condition: Condition): Promise<ReplyOf<'updatePlant'>> =>
  client.updatePlant({ params: { id: 1 }, body: { name: 'Ivy' }, ...condition });
export const remove = (condition?: IfMatch): Promise<ReplyOf<'deletePlant'>> =>
  client.deletePlant({ params: { id: 1 }, ifMatch: condition?.ifMatch });
export const edit = (reply: ReplyOf<'getPlant'>): Edit<StoredPlant> => startEdit(reply);

export const onRequest: Hook<RequestEvent> = async ({ headers }) => {
  headers['traceparent'] = await Promise.resolve('00-1-2-01');
};
export const onResponse: Hook<ResponseEvent> = ({ response }) => response?.status;
export const validate: Validate = async (operation: OperationName, { body }) => {
  if (body === null) throw await Promise.resolve(new TypeError(`no body of ${operation}`));
};
export const observed: Client = client.withOptions({ onRequest, onResponse, validate });

export const statusOf = (reply: Reply): number => reply.status;
export const bodyOf = <Body>(reply: Reply<number, Body>): Body => reply.body;
export const requestOf = (error: PlantStoreError | ErrorOf<'getPlant'>): RequestSummary => error;
export const numberOf = (error: RejectedError): number => error.error;
export const messageOf = (error: unknown): string => (isPlantStoreError(error) ? error.message : 'unknown');
