/**
 * Gives each rule a signer of its own, of those that meet it, for as many rules as can have one: the order in which rules
 * and signers stand changes nothing about that number.
 * @param meeting for each rule, who meets it
 * @returns for each rule its signer, or undefined where all of them are needed elsewhere
 */
export function distinctSigners(meeting: ReadonlyArray<ReadonlySet<string>>): ReadonlyArray<string | undefined> {
  const ruleOf = new Map<string, number>();
  // Kuhn: a rule takes a signer from another rule that can have one more.
  const place = (rule: number, tried: Set<string>): boolean => {
    for (const signer of meeting[rule] as ReadonlySet<string>) {
      if (tried.has(signer)) continue;
      tried.add(signer);
      const holder = ruleOf.get(signer);
      if (holder !== undefined && !place(holder, tried)) continue;
      ruleOf.set(signer, rule);
      return true;
    }
    return false;
  };
  for (const rule of meeting.keys()) place(rule, new Set());
  const signerOf = new Map([...ruleOf].map(([signer, rule]) => [rule, signer]));
  return meeting.map((_, rule) => signerOf.get(rule));
}
