/**
 * What an error of the server means for a request.
 *
 * - `unavailable`: the server cannot do it at the moment, or as it is set up; the statement is right. 503.
 * - `damaged`: a page or an index is damaged, which trying again does not help. 503, by another name.
 * - `bug`: the statement does not fit the tables or the plant. The start refuses tables that do not fit, so the service or
 *   whoever changed them since is wrong. A batch is then tried in halves, and only the plant that causes it gets a 500.
 */
export type Meaning = 'unavailable' | 'damaged' | 'bug';

/**
 * Every class of SQLSTATE (the first two characters), in the order of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
export const classes: Readonly<Record<string, Meaning>> = {
  '00': 'bug', // successful completion: no error
  '01': 'bug', // warning
  '02': 'bug', // no data
  '03': 'bug', // SQL statement not yet complete
  '08': 'unavailable', // connection
  '09': 'bug', // triggered action
  '0A': 'unavailable', // feature not supported: a plan that a change of the table has outdated; the next connection has a new one
  '0B': 'bug', // invalid transaction initiation
  '0F': 'bug', // locator
  '0L': 'bug', // invalid grantor
  '0P': 'unavailable', // invalid role: taken away since the start
  '0Z': 'bug', // diagnostics
  '10': 'bug', // XQuery
  '20': 'bug', // case not found
  '21': 'bug', // cardinality
  '22': 'bug', // data: this plant
  '23': 'bug', // integrity constraint: this plant
  '24': 'unavailable', // cursor state: a pooler mixes sessions
  '25': 'unavailable', // transaction state: read-only since a failover, or a pooler mixes sessions
  '26': 'unavailable', // prepared statement not there: a pooler does not carry it
  '27': 'bug', // triggered data change
  '28': 'unavailable', // login
  '2B': 'bug', // dependent privileges
  '2D': 'unavailable', // transaction termination
  '2F': 'bug', // SQL routine
  '34': 'unavailable', // cursor name: a pooler mixes sessions
  '38': 'bug', // external routine
  '39': 'bug', // external routine invocation
  '3B': 'unavailable', // savepoint: a pooler mixes sessions
  '3D': 'unavailable', // database not there
  '3F': 'unavailable', // schema not there
  '40': 'unavailable', // rolled back, for another transaction or for a reason unknown
  '42': 'bug', // syntax or access rule; see below
  '44': 'bug', // WITH CHECK OPTION
  '53': 'unavailable', // resources: disk, memory, connections
  '54': 'bug', // program limit: this plant, as in an index that somebody added
  '55': 'unavailable', // object not in the state for it: lock not available, database closed to connections
  '57': 'unavailable', // operator: shutdown, start, timeout
  '58': 'unavailable', // system: files and disks
  '72': 'unavailable', // snapshot too old
  F0: 'unavailable', // configuration file
  HV: 'unavailable', // foreign data: a table that is elsewhere
  P0: 'bug', // PL/pgSQL: a trigger that somebody added
  XX: 'unavailable', // an internal error of the server
};

/** Codes that mean another thing than their class. */
export const exceptions: Readonly<Record<string, Meaning>> = {
  '42501': 'unavailable', // insufficient privilege: taken away since the start
  XX001: 'damaged', // a page
  XX002: 'damaged', // an index
  '42P05': 'unavailable', // prepared statement there already: a pooler does not carry it
};

/** What a SQLSTATE means; one of no known class is a bug. */
export function meaningOf(code: string): Meaning {
  return exceptions[code] ?? classes[code.slice(0, 2)] ?? 'bug';
}
