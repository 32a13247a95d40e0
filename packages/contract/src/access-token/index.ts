export {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  isAccessTokenFormat,
} from './access-token.js';
export { toBase62 } from './base62.js';
