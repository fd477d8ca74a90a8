import { RUN_CONTEXT_GRANT } from '../discovery/discovery.ts';
import { refusedWith, type TokenRefusal } from '../token-refusal/token-refusal.ts';

/**
 * What a form request (RFC 6749 §3.2) gets. No grant is served in that form, so every answer is a refusal; which one
 * depends on `grant_type` alone, and it must stand there once.
 */
export function refuseForm(body: Uint8Array): TokenRefusal {
  const grantTypes = new URLSearchParams(Buffer.from(body).toString('latin1')).getAll('grant_type');
  if (grantTypes.length !== 1 || grantTypes[0] === '') {
    return {
      ...refusedWith('issuer.form_invalid', 'invalid_request'),
      field: 'grant_type',
      message: 'a form request carries grant_type exactly once',
    };
  }
  if (grantTypes[0] === RUN_CONTEXT_GRANT) {
    return {
      ...refusedWith('issuer.form_invalid', 'invalid_request'),
      message: 'the run context is sent as JSON, with Content-Type: application/json',
    };
  }
  return {
    ...refusedWith('issuer.grant_type_unsupported', 'unsupported_grant_type'),
    field: 'grant_type',
    message: 'this grant type is not served; send the run context as JSON, with Content-Type: application/json',
  };
}
