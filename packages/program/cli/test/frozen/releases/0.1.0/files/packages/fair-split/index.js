export function split(amount, people) {
  let share = Math.floor(amount / people.length);
  const parts = [];
  for (const person of people) {
    if (person.isAway) continue;
    parts.push({ name: person.name, share: share + (parts.length === 0 ? amount % people.length : 0) });
  }
  if (parts.length === 0) throw new RangeError('nobody is there');
  return parts.sort((one, other) => one.name.localeCompare(other.name));
}
