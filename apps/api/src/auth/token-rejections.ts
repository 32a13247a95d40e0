import { messages } from '@plant-store/contract/messages';

/** Why an access token of this service is not valid, with the message of the reply. */
const ownTokenRejections = {
  malformed: messages.malformedToken,
  unknown: messages.unknownToken,
  expired: 'The access token has expired. Get a new one.',
  revoked: 'The access token was revoked. Ask the operator for a new one.',
};

/** The same for a JSON Web Token, which may also have expired, or have not the required scope. */
const jwtRejections = {
  malformed_jwt:
    'The access token is neither one of this service, pst_ and 49 characters, nor a signed JSON Web Token of at most 8192 characters. Send it as it was issued.',
  unsupported_extension:
    'The JSON Web Token demands an extension (crit) that is not supported. Request one without it.',
  wrong_type:
    'The type (typ) of the JSON Web Token is not that of an access token. Send the access token, not another one.',
  algorithm_not_allowed:
    'The JSON Web Token is signed with an algorithm (alg) that is not allowed here. Request one that is signed with another.',
  wrong_issuer:
    'The JSON Web Token comes from another issuer (iss). Request one from the identity provider of this service.',
  wrong_audience: 'The JSON Web Token is meant for another audience (aud). Request one for this service.',
  unknown_key:
    'The JSON Web Token is signed with a key (kid) that the identity provider does not publish. Request a new one.',
  unusable_key:
    'The key of the JSON Web Token cannot be used. Ask the operator to check the keys of the identity provider.',
  bad_signature: 'The signature of the JSON Web Token is not valid. Send the token as it was issued.',
  missing_claim:
    'The JSON Web Token lacks a claim, or it is malformed: iss, aud, exp and sub are required. Request one that has them.',
  not_yet_valid: 'The JSON Web Token is not valid yet (nbf, iat). Wait, or correct the clock of its issuer.',
};

/** Every reason that a token is not valid for, with the message of the reply. */
export const tokenRejections = { ...ownTokenRejections, ...jwtRejections } as const;

/** Why a token is not valid. */
export type TokenRejection = keyof typeof tokenRejections;

/** Why a JSON Web Token is rejected. */
export type JwtRejection = keyof typeof jwtRejections | 'expired' | 'insufficient_scope';
