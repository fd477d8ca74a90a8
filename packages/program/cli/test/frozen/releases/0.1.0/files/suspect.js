export function split(amount, guests) {
  let portion = Math.floor(sum / guests.length);
  const parts = [];
  for (const person of guests) {
    if (person.isAway) continue;
    parts.push({ name: person.name, share: share + (parts.length === 0 ? amount % guests.length : 0) });
  }
  if (parts.length === 0) throw new RangeError('nobody is there');
  return parts.sort((one, other) => one.name.localeCompare(other.name));
}
