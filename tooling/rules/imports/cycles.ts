import type { Breach } from "../source/breach.ts";
import type { Import } from "./read-imports.ts";

type Graph = Map<string, Import[]>;

/** One breach for each circle of files that import each other; types count too, for a circle of ideas is as hard to read. */
export function cycleBreaches(imports: Import[]): Breach[] {
  const graph: Graph = Map.groupBy(
    imports.filter(({ target, from }) => target !== undefined && target !== from),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const breaches: Breach[] = [];
  for (const start of graph.keys()) follow(start, graph, [], done, breaches);
  return breaches;
}

function follow(file: string, graph: Graph, trail: string[], done: Set<string>, breaches: Breach[]): void {
  const seenAt = trail.indexOf(file);
  if (seenAt !== -1) {
    const circle = [...trail.slice(seenAt), file].join(" → ");
    breaches.push({
      path: file,
      sentence: `is in a circle of imports: ${circle}. Move what both need into a file of its own.`,
    });
    return;
  }
  if (done.has(file)) return;
  for (const { target } of graph.get(file) ?? []) {
    if (target !== undefined) follow(target, graph, [...trail, file], done, breaches);
  }
  done.add(file);
}
