/** Ends the work for a request whose client has disconnected: nobody gets a reply. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client has disconnected');
  }
}
