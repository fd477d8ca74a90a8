/** A JSON object in base64url begins so: the header of a token, whole or cut off. */
const TOKEN = /eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}/g;
/** A private key in PEM or OpenPGP armor, whole or cut off. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*-----|$)/gs;
/** An API key of our own issuer, whole or cut off behind its id. */
const API_KEY = /\bcolophon_[0-9A-Za-z]{12}_[0-9A-Za-z]+/g;
const URL_LOGIN = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi;

/** Text without tokens, API keys, private keys and logins in URLs: what a person typed in the wrong place is not repeated. */
export function withoutSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, '<private key>')
    .replace(TOKEN, '<token>')
    .replace(API_KEY, '<API key>')
    .replace(URL_LOGIN, '$1<login>@');
}

/** The same for every text in a document. */
export function documentWithoutSecrets<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_name, value) =>
    typeof value === 'string' ? withoutSecrets(value) : value,
  ) as T;
}
