/** Whether with this value of `client_min_messages` the server sends no warnings. */
export function suppressesWarnings(messages: string): boolean {
  return ['error', 'fatal', 'panic'].includes(messages);
}
