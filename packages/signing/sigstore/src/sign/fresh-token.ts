import type { KeylessOptions } from './sign.ts';
import { SigningError } from './signing-error.ts';

/**
 * Works with an identity token, and once more with another one where the authority refused the first after an attempt
 * whose answer was lost: an authority that takes a token once had taken it then. A token that is the same again is not sent.
 * @throws SigningError as `work`; the refusal of the first token where there is no other
 */
export async function withFreshToken<Result>(
  options: KeylessOptions,
  work: (options: KeylessOptions) => Promise<Result>,
): Promise<Result> {
  let sent: string | undefined;
  const keepingToken = async (thumbprint: string) => {
    sent = await options.identityToken(thumbprint);
    return sent;
  };
  try {
    return await work({ ...options, identityToken: keepingToken });
  } catch (error) {
    const wasRepeated = error instanceof SigningError && (error.attempts ?? 1) > 1;
    if (!wasRepeated || error.code !== 'signing.ca_refused') throw error;
    const identityToken = async (thumbprint: string) => {
      const token = await options.identityToken(thumbprint);
      if (token === sent) throw error;
      return token;
    };
    return work({ ...options, identityToken });
  }
}
