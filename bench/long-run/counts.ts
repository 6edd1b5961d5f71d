/** How often each thing was done. */
export type Counts = { add(name: string): void; lines(): string[] };

export function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    lines: () =>
      [...counts].sort(([one], [other]) => one.localeCompare(other)).map(([name, count]) => `${name} ${count}`),
  };
}
