/** Makes something once per owner, on first use. */
export function oncePer<Owner extends object, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const known = made.get(owner);
    if (known !== undefined) return known;
    const fresh = make(owner);
    made.set(owner, fresh);
    return fresh;
  };
}
