/** The JSON value in a body, or undefined. Where duplicate members or depth matter, a strict reader reads it instead. */
export function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The members of the JSON object in a body; none where it holds something else. */
export function membersIn(body: Uint8Array): Record<string, unknown> {
  const value = jsonIn(body);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
