// Printed from the contract: pnpm --filter @plant-store/contract run print-types
import type { ErrorBody } from './errors.js';
import type {
  AuditPage,
  AuditQuery,
  ChangeQuery,
  CreateResults,
  DeleteResults,
  HistoryQuery,
  IdParams,
  IssuedToken,
  NewToken,
  OwnToken,
  Precondition,
  TagPage,
  TagQuery,
  TokenList,
  TokenRotation,
} from './operation-parts.js';
import type {
  ChangePage,
  GetResults,
  NewPlantInput,
  NewPlants,
  Plant,
  PlantDeletions,
  PlantHistory,
  PlantIds,
  PlantPage,
  PlantQuery,
  PlantUpdates,
  StoredPlant,
  UpdateResults,
} from './types.js';

export type { FailedResult } from './errors.js';
export type * from './operation-parts.js';
export type * from './types.js';

/** The failures that are the same for every operation. */
interface CommonFailures {
  401: ErrorBody<40100 | 40101>;
  429: ErrorBody<42900>;
  500: ErrorBody<50000>;
  503: ErrorBody<50300 | 50301 | 50302 | 50303 | 50304>;
}

/**
 * What each operation takes and returns, as plain types, so that users of the client need neither zod nor ts-rest.
 * A type test compares them with what ts-rest infers from the contract.
 */
export interface Operations {
  createPlant: {
    body: NewPlantInput;
    responses: CommonFailures & {
      200: Plant;
      400: ErrorBody<40000 | 40001 | 40002 | 40003 | 40004 | 40005 | 40007>;
      403: ErrorBody<40300>;
    };
  };
  /** Without 304 and 412, which only a conditional request can get. */
  getPlant: {
    params: IdParams;
    responses: CommonFailures & {
      200: StoredPlant;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
      404: ErrorBody<40401>;
    };
  };
  listPlants: {
    query?: PlantQuery;
    responses: CommonFailures & {
      200: PlantPage;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
    };
  };
  createPlants: {
    body: NewPlants;
    responses: CommonFailures & {
      200: CreateResults;
      400: ErrorBody<40000 | 40001 | 40002 | 40004 | 40005 | 40006>;
      403: ErrorBody<40300>;
    };
  };
  getPlants: {
    body: PlantIds;
    responses: CommonFailures & {
      200: GetResults;
      400: ErrorBody<40000 | 40001 | 40002 | 40004 | 40005 | 40006>;
      403: ErrorBody<40300>;
    };
  };
  updatePlants: {
    body: PlantUpdates;
    responses: CommonFailures & {
      200: UpdateResults;
      400: ErrorBody<40000 | 40001 | 40002 | 40004 | 40005 | 40006>;
      403: ErrorBody<40300>;
    };
  };
  deletePlants: {
    body: PlantDeletions;
    responses: CommonFailures & {
      200: DeleteResults;
      400: ErrorBody<40000 | 40001 | 40002 | 40004 | 40005 | 40006>;
      403: ErrorBody<40300>;
    };
  };
  updatePlant: {
    params: IdParams;
    headers: Precondition;
    body: Plant;
    responses: CommonFailures & {
      200: StoredPlant;
      400: ErrorBody<40000 | 40001 | 40002 | 40004 | 40005 | 40008>;
      403: ErrorBody<40300>;
      404: ErrorBody<40401>;
      412: ErrorBody<41200>;
    };
  };
  getPlantHistory: {
    params: IdParams;
    query?: HistoryQuery;
    responses: CommonFailures & {
      200: PlantHistory;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
      404: ErrorBody<40401>;
    };
  };
  deletePlant: {
    params: IdParams;
    responses: CommonFailures & {
      204: undefined;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
      404: ErrorBody<40401>;
      412: ErrorBody<41200>;
    };
  };
  listTags: {
    query?: TagQuery;
    responses: CommonFailures & {
      200: TagPage;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
    };
  };
  listChanges: {
    query?: ChangeQuery;
    responses: CommonFailures & {
      200: ChangePage;
      400: ErrorBody<40000 | 40011>;
      403: ErrorBody<40300>;
      501: ErrorBody<50100>;
    };
  };
  getOwnToken: {
    responses: CommonFailures & {
      200: OwnToken;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
    };
  };
  listTokens: {
    responses: CommonFailures & {
      200: TokenList;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
    };
  };
  createToken: {
    body: NewToken;
    responses: CommonFailures & {
      200: IssuedToken;
      400: ErrorBody<40000 | 40001 | 40004 | 40005 | 40009>;
      403: ErrorBody<40300 | 40301>;
    };
  };
  rotateToken: {
    params: IdParams;
    body: TokenRotation;
    responses: CommonFailures & {
      200: IssuedToken;
      400: ErrorBody<40000 | 40001 | 40004 | 40005 | 40009 | 40010>;
      403: ErrorBody<40300 | 40301>;
      404: ErrorBody<40402>;
    };
  };
  revokeToken: {
    params: IdParams;
    responses: CommonFailures & {
      204: undefined;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
      404: ErrorBody<40402>;
    };
  };
  listAudit: {
    query?: AuditQuery;
    responses: CommonFailures & {
      200: AuditPage;
      400: ErrorBody<40000>;
      403: ErrorBody<40300>;
    };
  };
}

/** The operations that change nothing. */
export type ReadOperation =
  | 'getPlant'
  | 'listPlants'
  | 'getPlants'
  | 'getPlantHistory'
  | 'listTags'
  | 'listChanges'
  | 'getOwnToken'
  | 'listTokens'
  | 'listAudit';
