/** Loads each name once per process, a failure too; who asks while it is loaded gets the same. */
export function onceEach<Name, Value>(load: (name: Name) => Promise<Value>): (name: Name) => Promise<Value> {
  const loaded = new Map<Name, Promise<Value>>();
  return (name) => {
    const known = loaded.get(name) ?? load(name);
    loaded.set(name, known);
    return known;
  };
}
