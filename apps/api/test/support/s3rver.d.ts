/** What the tests use of s3rver, which has no types. */
declare module '@20minutes/s3rver' {
  // biome-ignore lint/style/noDefaultExport: It has no other.
  export default class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
