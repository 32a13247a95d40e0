// Called by the programs: makes the call of a generated client for two ids, and prints what it returns or throws.

/** Where the service is, and with which token to call it. */
interface Service {
  readonly baseUrl: string;
  readonly token: string;
}

/** Makes the generated client's call, and returns the body of the reply. */
type Call<Id> = (service: Service, plant: { id: Id; name: string }) => Promise<unknown>;

/** The largest int64, and the smallest positive integer that a `number` cannot hold. */
const ids = ['9223372036854775807', '9007199254740993'];

/**
 * Makes the call once for each id, and prints a line of JSON for each. `toId` is `Number` or `BigInt`, as the generated
 * type of an id requires. Reads the URL of the service and the token from the command line.
 */
export async function reportCalls<Id>(toId: (text: string) => Id, call: Call<Id>): Promise<void> {
  const [, , baseUrl = '', token = ''] = process.argv;
  for (const id of ids) {
    const plant = { id: toId(id), name: `Rose ${id}` };
    const result = await call({ baseUrl, token }, plant).then(
      (body) => ({ body }),
      (error) => ({ thrown: String(error) }),
    );
    console.log(JSON.stringify({ id, name: plant.name, ...result }));
  }
}
