/** The command as the user has typed it: in the repository pnpm runs it, elsewhere it is `plant-store`. */
export function commandNameOf(environment: Readonly<Record<string, string | undefined>>): string {
  // pnpm sets these for the script `plant-store` of the root.
  const isScript =
    environment['npm_package_name'] === 'plant-store' && environment['npm_lifecycle_event'] === 'plant-store';
  return isScript ? 'npx -y pnpm@10.34.9 -s plant-store' : 'plant-store';
}
